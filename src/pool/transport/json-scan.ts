/** Interface to the JSON scanner in WebAssembly (`assembly/scan-json.ts`). */
import { decodeBase64 } from '../../../packages/ethereum/primitives/base64.ts';
import { WEB_ASSEMBLY, type WebAssemblyMemory } from '../../../packages/ethereum/primitives/webassembly.ts';
import type { ShapeCounts } from './answer-shape.ts';
import { TRANSITIONS } from './json-grammar.ts';
import { JSON_SCAN_MODULE } from './json-scan-module.ts';
import { listNameLengths, listNameLetters } from './padded-quantities.ts';

type Global = { readonly value: number };

type JsonScan = {
  readonly memory: WebAssemblyMemory;
  readonly TRANSITIONS: Global;
  readonly MAX_LEVELS: Global;
  readonly state: Global;
  readonly isInKey: Global;
  readonly lists: Global;
  readonly levels: Global;
  readonly values: Global;
  readonly longestText: Global;
  readonly longestName: Global;
  readonly longestNumber: Global;
  readonly openBytes: Global;
  readonly FIRST_LETTERS: Global;
  readonly LAST_LETTERS: Global;
  readonly PADDED: Global;
  readonly BEFORE: Global;
  readonly padded: Global;
  readonly hasNull: Global;
  readonly LIST_LENGTHS: Global;
  scan(
    start: number,
    end: number,
    state: number,
    isInKey: boolean,
    lists: number,
    levels: number,
    openBytes: number,
  ): number;
};

/** Address in the module's memory at which scanned bytes are written: its second page. */
const BUFFER = 65_536;
/** Minimum number of bytes to scan in WebAssembly; fewer bytes are scanned faster in JavaScript. */
export const LEAST_SCANNED = 256;

const json = new WEB_ASSEMBLY.Instance(new WEB_ASSEMBLY.Module(decodeBase64(JSON_SCAN_MODULE)))
  .exports as JsonScan;
const space = new Uint8Array(json.memory.buffer);
space.set(TRANSITIONS, json.TRANSITIONS.value);
space.set(new Uint8Array(listNameLetters('first').buffer), json.FIRST_LETTERS.value);
space.set(new Uint8Array(listNameLetters('last').buffer), json.LAST_LETTERS.value);
const size = space.length - BUFFER;
const words = new DataView(json.memory.buffer);
words.setUint32(json.LIST_LENGTHS.value, listNameLengths(), true);
/** Number of bytes before a chunk that a scan may read, for names and values that begin before the chunk. */
export const BEFORE: number = json.BEFORE.value;

/** Position of a scan within a text, and the counts up to this position. */
export type JsonPlace = ShapeCounts & {
  /** State of the grammar. */
  state: number;
  /** Whether the current string is a key. */
  isInKey: boolean;
  /** One entry per enclosing list or object, innermost last: true for a list. */
  readonly levels: boolean[];
  /** Length so far of a string (without its opening quote) or number that continues in the next chunk; 0 if there is none. */
  openBytes: number;
};

/** Receiver of values that may have to be normalized: `0x0…` in members that may be quantities, and null in members that may be lists. */
export interface PaddedValues {
  /** Last bytes of the text before the chunk, at most `BEFORE`; undefined for the first chunk. */
  readonly before: Uint8Array | undefined;
  /**
   * Takes a value that may be a quantity with leading zeros.
   * @param start position after the value's opening quote in the chunk; negative if the value began in an earlier chunk
   */
  addPadded(chunk: Uint8Array, start: number): void;
  /** Records that the chunk contains the end of a null that may be in place of a list. */
  noteNull(): void;
}

/**
 * Scans a chunk until a container of the second level is closed, the input is not JSON, or the chunk ends.
 * @param place state of the scan, inside of a container of the second level; updated by the scan
 * @param values receives values that may have to be normalized
 * @returns the position of the first byte that the caller must read
 */
export function scanInside(chunk: Uint8Array, from: number, place: JsonPlace, values: PaddedValues): number {
  const { levels } = place;
  const [outer = false] = levels;
  if (levels.length > json.MAX_LEVELS.value) return from;
  for (let at = from; ; ) {
    const end = Math.min(at + size, chunk.length);
    space.set(chunk.subarray(at, end), BUFFER);
    writeBefore(chunk, at, values.before);
    let lists = 0;
    for (let level = 1; level < levels.length; level++) lists = (lists << 1) | Number(levels[level]);
    const { state, isInKey, openBytes } = place;
    const stop = json.scan(BUFFER, BUFFER + end - at, state, isInKey, lists, levels.length - 1, openBytes);
    for (let i = 0; i < json.padded.value; i++)
      values.addPadded(chunk, words.getUint32(json.PADDED.value + 4 * i, true) - BUFFER + at);
    if (json.hasNull.value !== 0) values.noteNull();
    place.openBytes = json.openBytes.value;
    place.values += json.values.value;
    place.longestText = Math.max(place.longestText, json.longestText.value);
    place.longestName = Math.max(place.longestName, json.longestName.value);
    place.longestNumber = Math.max(place.longestNumber, json.longestNumber.value);
    place.state = json.state.value;
    place.isInKey = json.isInKey.value !== 0;
    levels.length = 0;
    levels.push(outer);
    for (let level = json.levels.value - 1; level >= 0; level--)
      levels.push(((json.lists.value >> level) & 1) !== 0);
    at += stop - BUFFER;
    if (at < end || at === chunk.length) return at;
  }
}

/** Writes the bytes before a position into the module's memory, because names and values may begin there. */
function writeBefore(chunk: Uint8Array, at: number, before: Uint8Array | undefined): void {
  const near = Math.min(at, BEFORE);
  if (near > 0) space.set(chunk.subarray(at - near, at), BUFFER - near);
  if (near === BEFORE || before === undefined) return;
  const far = before.subarray(Math.max(before.length - BEFORE + near, 0));
  space.set(far, BUFFER - near - far.length);
}

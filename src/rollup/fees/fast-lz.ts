/**
 * Length of FastLZ level 1 compression, by which the OP Stack estimates the size of a transaction in a batch (specs, fjord/exec-engine). Only the
 * length is computed, and no compressed data is written.
 */

const TABLE_BITS = 13;
const HASH_FACTOR = 2_654_435_769;
const MAX_DISTANCE = 0x1fff;
const LITERALS_IN_A_RUN = 32;
const MAX_MATCH = 262;
/** Number of bytes at the end of the data in which no match begins, and in which no match ends. Such bytes are stored as literals. */
const BEGIN_MARGIN = 13;
const END_MARGIN = 4;

/** Reads three bytes as a little-endian integer. */
function readTriple(data: Uint8Array, at: number): number {
  return (data[at] as number) | ((data[at + 1] as number) << 8) | ((data[at + 2] as number) << 16);
}

function hashOf(triple: number): number {
  return Math.imul(HASH_FACTOR, triple) >>> (32 - TABLE_BITS);
}

/** Returns the number of bytes that encode `count` literals; each run of up to 32 literals has one header byte. */
function measureLiterals(count: number): number {
  const rest = count % LITERALS_IN_A_RUN;
  return (LITERALS_IN_A_RUN + 1) * Math.floor(count / LITERALS_IN_A_RUN) + (rest === 0 ? 0 : rest + 1);
}

/**
 * Returns the number of bytes that encode a match.
 * @param length length of the match without its first three bytes
 */
function measureMatch(length: number): number {
  const rest = (length - 1) % MAX_MATCH;
  return 3 * Math.floor((length - 1) / MAX_MATCH) + (rest >= 6 ? 3 : 2);
}

/** Returns the length of the match at two positions, up to `limit`. */
function compare(data: Uint8Array, earlier: number, later: number, limit: number): number {
  let length = 0;
  // The match length includes the first differing byte.
  while (later + length < limit) {
    const isSame = data[earlier + length] === data[later + length];
    length++;
    if (!isSame) break;
  }
  return length;
}

/** Returns the length of the compressed data, bytes. */
export function measureFastLz(data: Uint8Array): number {
  const lastSeen = new Uint32Array(1 << TABLE_BITS);
  const lastBegin = data.length - BEGIN_MARGIN;
  let size = 0;
  let literalsFrom = 0;
  let at = 2;
  while (at < lastBegin) {
    let triple = 0;
    let earlier = 0;
    let distance = 0;
    do {
      triple = readTriple(data, at);
      const slot = hashOf(triple);
      earlier = lastSeen[slot] as number;
      lastSeen[slot] = at;
      distance = at - earlier;
      if (at >= lastBegin) break;
      at++;
    } while (distance > MAX_DISTANCE || triple !== readTriple(data, earlier));
    if (at >= lastBegin) break;
    at--;
    size += measureLiterals(at - literalsFrom);
    const length = compare(data, earlier + 3, at + 3, data.length - END_MARGIN);
    size += measureMatch(length);
    at += length;
    lastSeen[hashOf(readTriple(data, at))] = at;
    at++;
    lastSeen[hashOf(readTriple(data, at))] = at;
    at++;
    literalsFrom = at;
  }
  return size + measureLiterals(data.length - literalsFrom);
}

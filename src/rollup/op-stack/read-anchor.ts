/** Reads the output root of an OP Stack chain that layer 1 has accepted, from the verified state of layer 1. */

import { bigIntToFixedBytes, bytesToBigInt } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import type { JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import type { Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { OutputClaim } from '../../chain/output-claim.ts';
import type { BlockReference } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { AnchorOptions } from '../options.ts';
import { readGame } from './read-game.ts';

/** Error if layer 1 has no trustworthy output root; the message is phrased as the end of a sentence. */
export class NoAnchor extends Error {
  override readonly name = 'NoAnchor';
}

/** Error if the layer 1 state is not verified; the unverified reply of one node is not enough. */
class NotProven extends Error {}

/** Storage slots of the contracts: OptimismPortal2 from 4.0, AnchorStateRegistry from 3.0, dispute games, L2OutputOracle. */
const PORTAL_REGISTRY = 62n;
const REGISTRY_GAME = 2n;
const REGISTRY_BLACKLIST = 5n;
/** Slot of the respected game type and, in higher bits, of the retirement time. */
const REGISTRY_RETIREMENT = 6n;
/** Slot whose low bytes contain the creation time of a game. */
const GAME_CREATION = 0n;
const ORACLE_OUTPUTS = 3n;
/**
 * Period in which outputs of an L2OutputOracle can be deleted, seconds. The period is the same on all chains that were deployed with an
 * L2OutputOracle.
 */
const FINALIZATION_SECONDS = 604_800n;
/** Maximum number of outputs that are read to find the last output that cannot be deleted. */
const MAX_OUTPUTS = 8;
const WORD_BYTES = 32;
const ADDRESS_BITS = 160n;
const GAME_TYPE_BITS = 32n;
const TIME_BITS = 64;
const HALF_BITS = 128n;

/**
 * Reads the last undisputed output root from the finalized state of layer 1. If nodes do not prove the finalized state, reads it from the state of
 * the head.
 * @param chainId chain id of the rollup
 * @throws NoAnchor if there is no trustworthy output root
 * @throws ChainError if layer 1 cannot be reached
 */
export async function readAnchor(
  l1: Pick<Chain, 'blocks' | 'state'>,
  contract: AnchorOptions,
  chainId: bigint,
  scope: RequestScope,
): Promise<OutputClaim> {
  let why = 'it has no head';
  for (const tag of ['finalized', 'latest'] as const) {
    const header = await l1.blocks.getHeader({ kind: 'tag', tag }, scope);
    if (header === null) continue;
    const state = new VerifiedState(l1, { kind: 'number', number: header.number }, scope);
    try {
      return await readContract(state, contract, chainId);
    } catch (error) {
      if (!(error instanceof NotProven || error instanceof ChainError)) throw error;
      why = error.message;
    }
  }
  throw new NoAnchor(`layer 1 does not prove its state: ${why}`);
}

async function readContract(
  state: VerifiedState,
  { portal = '', registry, oracle }: AnchorOptions,
  chainId: bigint,
): Promise<OutputClaim> {
  if (oracle !== undefined) return readOracle(state, oracle);
  const address = registry ?? asAddress(await state.readWord(portal, PORTAL_REGISTRY));
  if (address === undefined)
    throw new NoAnchor(
      `the portal ${portal} names no AnchorStateRegistry: configure that as anchor.registry`,
    );
  return readRegistry(state, address, chainId);
}

/**
 * Returns the claim of the last game that the registry has accepted: it was resolved in favor of its claim, and the delay has passed. The guardian
 * can invalidate an accepted game later, with the blacklist or by retiring all games up to a time. An invalidated game remains the registry's anchor
 * game until the next accepted game, but this function rejects it.
 */
async function readRegistry(state: VerifiedState, registry: string, chainId: bigint): Promise<OutputClaim> {
  const game = asAddress(await state.readWord(registry, REGISTRY_GAME));
  if (game === undefined) throw new NoAnchor(`no dispute game is resolved at ${registry}`);
  const [code, creation, [isBlacklisted, retirement = 0n]] = await Promise.all([
    state.readCode(game),
    state.readWord(game, GAME_CREATION),
    state.readWords(registry, [slotOf(BigInt(game), REGISTRY_BLACKLIST), REGISTRY_RETIREMENT]),
  ]);
  if (isBlacklisted !== 0n) throw new NoAnchor(`the dispute game ${game} is blacklisted`);
  const retiredUpTo = BigInt.asUintN(TIME_BITS, retirement >> GAME_TYPE_BITS);
  if (retiredUpTo > 0n && BigInt.asUintN(TIME_BITS, creation) <= retiredUpTo)
    throw new NoAnchor(`the dispute game ${game} is retired, as are all games created up to ${retiredUpTo}`);
  const claim = readGame(code, chainId);
  if (claim === undefined)
    throw new NoAnchor(`the dispute game ${game} has an unknown form, or no output root of the chain`);
  return claim;
}

/** Returns the last output that can no longer be deleted. Outputs have a constant interval, so this output is found by reading a few outputs. */
async function readOracle(state: VerifiedState, oracle: string): Promise<OutputClaim> {
  const now = await state.readTime();
  const count = await state.readWord(oracle, ORACLE_OUTPUTS);
  const last = await readOutput(state, oracle, count - 1n);
  const before = await readOutput(state, oracle, count - 2n);
  const pace = last.timestamp - before.timestamp;
  let index = count - 1n;
  let output = last;
  for (let looked = 0; looked < MAX_OUTPUTS; looked++) {
    const left = output.timestamp + FINALIZATION_SECONDS - now;
    if (left <= 0n) return output.claim;
    if (pace <= 0n) break;
    index -= (left + pace - 1n) / pace;
    output = await readOutput(state, oracle, index);
  }
  throw new NoAnchor(`no output at ${oracle} is past its dispute period`);
}

type Output = { readonly claim: OutputClaim; readonly timestamp: bigint };

async function readOutput(state: VerifiedState, oracle: string, index: bigint): Promise<Output> {
  if (index < 0n) throw new NoAnchor(`the L2OutputOracle ${oracle} has too few outputs`);
  const first = bytesToBigInt(keccak256(bigIntToFixedBytes(ORACLE_OUTPUTS, WORD_BYTES))) + 2n * index;
  // If the address belongs to another contract, the number of outputs that was read may be any number.
  const slots = [first, first + 1n].map((slot) => BigInt.asUintN(8 * WORD_BYTES, slot));
  const [root = 0n, times = 0n] = await state.readWords(oracle, slots);
  if (root === 0n) throw new NoAnchor(`output ${index} at ${oracle} is empty`);
  return {
    claim: { outputRoot: toHex(root), block: { number: times >> HALF_BITS } },
    timestamp: BigInt.asUintN(Number(HALF_BITS), times),
  };
}

/** Verified timestamp, storage slots and codes at one block of layer 1. */
class VerifiedState {
  readonly #l1: Pick<Chain, 'blocks' | 'state'>;
  readonly #block: BlockReference;
  readonly #scope: RequestScope;

  constructor(l1: Pick<Chain, 'blocks' | 'state'>, block: BlockReference, scope: RequestScope) {
    this.#l1 = l1;
    this.#block = block;
    this.#scope = scope;
  }

  /**
   * Returns the block's timestamp, Unix seconds. For a tag, a node may report a header with the right hash and a wrong time, so the header is checked
   * by recomputing its hash.
   */
  async readTime(): Promise<bigint> {
    const header = await this.#prove((scope) => this.#l1.blocks.getHeaderObject(this.#block, scope));
    return BigInt((JSON.parse(header as string) as { readonly timestamp: string }).timestamp);
  }

  async readWord(address: string, slot: bigint): Promise<bigint> {
    return (await this.readWords(address, [slot]))[0] ?? 0n;
  }

  async readWords(address: string, slots: readonly bigint[]): Promise<readonly bigint[]> {
    const answer = await this.#prove((scope) =>
      this.#l1.state.getStorageValues(new Map([[address, slots.map(toHex)]]), this.#block, scope),
    );
    const words = (JSON.parse(answer as string) as Readonly<Record<string, readonly string[]>>)[address];
    return (words ?? []).map(BigInt);
  }

  async readCode(address: string): Promise<Uint8Array> {
    const code = await this.#prove((scope) => this.#l1.state.getCode(address, this.#block, scope));
    return hexToBytes(JSON.parse(code as string) as string);
  }

  /** Runs `read`, and returns its answer. @throws NotProven if the answer is not verified, or if only one node has the block of the answer */
  async #prove(read: (scope: RequestScope) => unknown): Promise<JsonResult> {
    const scope = this.#scope.derive();
    const answer = await read(scope);
    if (scope.trust !== 'proven')
      throw new NotProven(`its answers about state are ${scope.trust ?? 'not verified'}`);
    return answer as JsonResult;
  }
}

/** Returns the storage slot of a mapping's value for a key. */
function slotOf(key: bigint, mapping: bigint): bigint {
  const place = new Uint8Array(2 * WORD_BYTES);
  place.set(bigIntToFixedBytes(key, WORD_BYTES));
  place.set(bigIntToFixedBytes(mapping, WORD_BYTES), WORD_BYTES);
  return bytesToBigInt(keccak256(place));
}

/** Returns the address in the low bytes of a word; undefined if it is zero. */
function asAddress(word: bigint): string | undefined {
  const address = BigInt.asUintN(Number(ADDRESS_BITS), word);
  return address === 0n ? undefined : bytesToHex(bigIntToFixedBytes(address, Number(ADDRESS_BITS) / 8));
}

function toHex(word: bigint): string {
  return bytesToHex(bigIntToFixedBytes(word, WORD_BYTES));
}

import { bytesEqual, bytesToBigInt } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import type { OutputClaim } from '../../chain/output-claim.ts';

/**
 * Matches the code of a dispute game. The DisputeGameFactory creates games as clones with immutable arguments (Solady's LibClone). The arguments and
 * their length follow the code.
 */
const CLONE =
  /^0x36602c57343d527f9e4ac34f21c619cefc926c8bd93b54bf5a39c7ab2127a895af1cc0691d7e3dff593da1005b363d3d373d3d3d3d61[0-9a-f]{4}806062363936013d73[0-9a-f]{40}5af43d3d93803e606057fd5bf3/;
const LENGTH_BYTES = 2;
/**
 * Offset of the root claim in the arguments: creator, root claim, layer 1 block hash, and the subject (a block number or a super root). `SUBJECTS`:
 * possible offsets of the subject, because later factories store the game type before it.
 */
const ROOT_CLAIM = 20;
const SUBJECTS = [84, 88];
const WORD_BYTES = 32;
/** Upper bound on block numbers. If a block number is read at the wrong offset, the result is 0 or above this bound. */
const MAX_NUMBER = 1n << 32n;
/** Version byte of super roots. A super root consists of version, timestamp, and a chain id and an output root per chain. */
const SUPER_VERSION = 1;
const SUPER_HEADER = 9;

/**
 * Decodes the claim of a dispute game about a chain. The claim is an output root, or the hash of a super root that is one of the arguments.
 * @param code code of the game contract
 * @returns undefined if the code has another form, or if the super root does not include the chain
 */
export function readGame(code: Uint8Array, chainId: bigint): OutputClaim | undefined {
  const clone = CLONE.exec(bytesToHex(code))?.[0];
  if (clone === undefined) return undefined;
  const game = code.subarray(clone.length / 2 - 1, code.length - LENGTH_BYTES);
  if (game.length < (SUBJECTS[0] as number)) return undefined;
  const root = game.subarray(ROOT_CLAIM, ROOT_CLAIM + WORD_BYTES);
  for (const at of SUBJECTS) {
    const claim = readSuperRoot(game.subarray(at), root, chainId);
    if (claim !== undefined) return claim;
  }
  for (const at of SUBJECTS) {
    const number = readNumber(game, at);
    if (number > 0n && number < MAX_NUMBER) return { outputRoot: bytesToHex(root), block: { number } };
  }
  return undefined;
}

/**
 * Returns the chain's output root from the super root at the start of `subject`. The super root's length is unknown, so each possible length is tried
 * by comparing hashes.
 */
function readSuperRoot(subject: Uint8Array, root: Uint8Array, chainId: bigint): OutputClaim | undefined {
  if (subject[0] !== SUPER_VERSION) return undefined;
  for (let end = SUPER_HEADER + 2 * WORD_BYTES; end <= subject.length; end += 2 * WORD_BYTES) {
    if (!bytesEqual(keccak256(subject.subarray(0, end)), root)) continue;
    const timestamp = bytesToBigInt(subject.subarray(1, SUPER_HEADER));
    for (let at = SUPER_HEADER; at < end; at += 2 * WORD_BYTES) {
      if (readNumber(subject, at) !== chainId) continue;
      const outputRoot = bytesToHex(subject.subarray(at + WORD_BYTES, at + 2 * WORD_BYTES));
      return { outputRoot, block: { timestamp } };
    }
    return undefined;
  }
  return undefined;
}

function readNumber(bytes: Uint8Array, at: number): bigint {
  return at + WORD_BYTES > bytes.length ? 0n : bytesToBigInt(bytes.subarray(at, at + WORD_BYTES));
}

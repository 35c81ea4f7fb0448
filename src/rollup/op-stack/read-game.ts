import type { OutputClaim } from '../../chain/output-claim.ts';
import { bytesEqual, bytesToBigInt } from '../../primitives/bytes.ts';
import { bytesToHex } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';

/** Code of a clone with immutable arguments (Solady's LibClone), as the DisputeGameFactory makes games: arguments, then their length. */
const CLONE =
  /^0x36602c57343d527f9e4ac34f21c619cefc926c8bd93b54bf5a39c7ab2127a895af1cc0691d7e3dff593da1005b363d3d373d3d3d3d61[0-9a-f]{4}806062363936013d73[0-9a-f]{40}5af43d3d93803e606057fd5bf3/;
const LENGTH_BYTES = 2;
/** Arguments: creator, root claim, hash of a block of layer 1; then what the game is about, in later factories behind its type. */
const ROOT_CLAIM = 20;
const SUBJECTS = [84, 88];
const WORD_BYTES = 32;
/** Where the arguments begin with a game's type and not, a number that is read at the wrong place is 0 or above this. */
const MAX_NUMBER = 1n << 32n;
/** A super root: version, timestamp, then a chain id and an output root for each chain. */
const SUPER_VERSION = 1;
const SUPER_HEADER = 9;

/**
 * What a dispute game claims of a chain. Its claim is an output root, or the hash of a super root that is among its arguments.
 * @returns undefined where the code has another form, or the super root nothing of the chain
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

/** The chain's output root in the super root that the arguments begin with; how many chains it has is known by its hash. */
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

import { compareBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import { readByHash } from '../../packages/ethereum/primitives/merkle-proof.ts';
import { RlpWriter } from '../../packages/ethereum/primitives/rlp-writer.ts';
import { decodeHeader } from '../../packages/proofs/decode-header.ts';
import { Findings, type Members } from '../../packages/proofs/findings.ts';
import { type VerifiedHeader, verifyHeader } from '../../packages/proofs/verify-block.ts';
import { BundleError, type BundleEvidence } from './format.ts';

/** Trie node or contract code. `isUsed` is true after `find` has returned the byte string. */
type Piece = { readonly bytes: Uint8Array; isUsed: boolean };

/**
 * Trie nodes or contract codes of a bundle, by Keccak-256 hash. The set tracks which byte strings were found, because a bundle must not contain
 * unused byte strings.
 */
export class Pieces {
  readonly #byHash = new Map<string, Piece>();

  add(bytes: Uint8Array): void {
    const hash = bytesToHex(keccak256(bytes));
    if (!this.#byHash.has(hash)) this.#byHash.set(hash, { bytes, isUsed: false });
  }

  /** @param hash 32 bytes */
  find(hash: Uint8Array): Uint8Array | undefined {
    const piece = this.#byHash.get(bytesToHex(hash));
    if (piece !== undefined) piece.isUsed = true;
    return piece?.bytes;
  }

  forgetUse(): void {
    for (const piece of this.#byHash.values()) piece.isUsed = false;
  }

  /** @throws BundleError if a byte string was not used */
  refuseUnused(what: string): void {
    const unused = [...this.#byHash.values()].filter(({ isUsed }) => !isUsed).length;
    if (unused > 0) throw new BundleError(`the evidence has a ${what} that the answer does not need`);
  }

  get used(): readonly Uint8Array[] {
    return [...this.#byHash.values()].filter(({ isUsed }) => isUsed).map(({ bytes }) => bytes);
  }
}

/** Error for a key whose path leads to a trie node that is not in the evidence. */
export class MissingNode extends BundleError {}

/**
 * Returns the value of a key in the trie with this root.
 * @returns undefined if the trie nodes prove that the key is absent
 * @throws MissingNode if the evidence lacks a node on the path
 */
export function readTrie(root: Uint8Array, key: Uint8Array, nodes: Pieces): Uint8Array | undefined {
  return readByHash(root, key, (hash) => {
    const encoded = nodes.find(hash);
    if (encoded === undefined) throw new MissingNode(`the trie node ${bytesToHex(hash)} is missing`);
    return encoded;
  });
}

/** Verified header, whose members hash to the block hash. */
export type HeaderEvidence = {
  readonly encoded: Uint8Array;
  readonly members: Members;
  readonly verified: VerifiedHeader;
};

/**
 * Decodes and verifies an encoded header.
 * @param hash block hash as lower-case hex text
 * @throws BundleError if the header has another hash or an unknown form
 */
export function readHeader(encoded: Uint8Array, hash: string): HeaderEvidence {
  const found = bytesToHex(keccak256(encoded));
  if (found !== hash) throw new BundleError(`the header has the hash ${found}, not ${hash}`);
  const members = decode(() => decodeHeader(encoded), 'the header');
  if (members === undefined) throw new BundleError('the header has an unknown form');
  const findings = new Findings();
  const verified = verifyHeader({ ...members, hash }, hash, { findings, writer: new RlpWriter() });
  if (verified === undefined) throw new BundleError(describeFindings(findings));
  return { encoded, members, verified };
}

/** Decodes a part of a bundle. @throws BundleError with the name of the part if the part is malformed */
export function decode<T>(read: () => T, part: string): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw new BundleError(`${part} is malformed: ${error.message}`);
    throw error;
  }
}

/** Returns the texts of all findings of a verification, separated by semicolons. */
export function describeFindings({ list }: Findings): string {
  return list.map(({ text }) => text).join('; ');
}

/** Reads the trie nodes or codes of a bundle. @throws BundleError if the texts are not unique and in ascending order */
export function readPieces(texts: readonly string[]): Pieces {
  const pieces = new Pieces();
  for (const [index, text] of texts.entries()) {
    if (index > 0 && text <= (texts[index - 1] as string))
      throw new BundleError('trie nodes or codes are not in ascending order');
    pieces.add(hexToBytes(text));
  }
  return pieces;
}

/** Encodes byte strings as hex, in ascending order, as a bundle lists them. */
export function listPieces(pieces: readonly Uint8Array[]): string[] {
  return [...pieces].sort(compareBytes).map(bytesToHex);
}

/** Creates evidence from a header and from further parts that an answer needs. */
export function evidenceOf(header: Uint8Array, parts: Partial<BundleEvidence>): BundleEvidence {
  const none = { ancestors: [], transactions: [], uncles: [], nodes: [], codes: [] };
  return { header: bytesToHex(header), ...none, ...parts };
}

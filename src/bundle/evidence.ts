import { compareBytes } from '../primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { readByHash } from '../primitives/merkle-proof.ts';
import { RlpWriter } from '../primitives/rlp-writer.ts';
import { decodeHeader } from '../verification/decode-header.ts';
import { Findings, type Members } from '../verification/findings.ts';
import { type VerifiedHeader, verifyHeader } from '../verification/verify-block.ts';
import { BundleError, type BundleEvidence } from './format.ts';

/** Bytes of a set that is searched by hash. `isUsed`: a search has found them. */
type Piece = { readonly bytes: Uint8Array; isUsed: boolean };

/** Byte strings by their hashes. Notes which of them were found: a bundle must not have others. */
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

  /** @throws BundleError where one was not used */
  refuseUnused(what: string): void {
    const unused = [...this.#byHash.values()].filter(({ isUsed }) => !isUsed).length;
    if (unused > 0) throw new BundleError(`the evidence has a ${what} that the answer does not need`);
  }

  get used(): readonly Uint8Array[] {
    return [...this.#byHash.values()].filter(({ isUsed }) => isUsed).map(({ bytes }) => bytes);
  }
}

/** The path of a key leads to a trie node that the evidence lacks. */
export class MissingNode extends BundleError {}

/**
 * The value of a key in the trie with this root.
 * @returns undefined where the nodes prove that there is none
 * @throws MissingNode
 */
export function readTrie(root: Uint8Array, key: Uint8Array, nodes: Pieces): Uint8Array | undefined {
  return readByHash(root, key, (hash) => {
    const encoded = nodes.find(hash);
    if (encoded === undefined) throw new MissingNode(`the trie node ${bytesToHex(hash)} is missing`);
    return encoded;
  });
}

/** The header that everything follows from: its members have the hash of the block. */
export type ProvenHeader = {
  readonly encoded: Uint8Array;
  readonly members: Members;
  readonly verified: VerifiedHeader;
};

/**
 * Reads an encoded header.
 * @param hash hex text in lower case
 * @throws BundleError where it has another hash, or a form that is not known
 */
export function readHeader(encoded: Uint8Array, hash: string): ProvenHeader {
  const found = bytesToHex(keccak256(encoded));
  if (found !== hash) throw new BundleError(`the header has the hash ${found}, not ${hash}`);
  const members = decode(() => decodeHeader(encoded), 'the header');
  if (members === undefined) throw new BundleError('the header has a form that is not known');
  const findings = new Findings();
  const verified = verifyHeader({ ...members, hash }, hash, { findings, writer: new RlpWriter() });
  if (verified === undefined) throw new BundleError(describeFindings(findings));
  return { encoded, members, verified };
}

/** Decodes a part of a bundle. @throws BundleError naming the part where it is malformed */
export function decode<T>(read: () => T, part: string): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw new BundleError(`${part} is malformed: ${error.message}`);
    throw error;
  }
}

/** What was found wrong, as one sentence. */
export function describeFindings({ list }: Findings): string {
  return list.map(({ text }) => text).join('; ');
}

/** The nodes or codes of a bundle. @throws BundleError where they are not in order, each once */
export function readPieces(texts: readonly string[]): Pieces {
  const pieces = new Pieces();
  for (const [index, text] of texts.entries()) {
    if (index > 0 && text <= (texts[index - 1] as string))
      throw new BundleError('trie nodes or codes are not in ascending order');
    pieces.add(hexToBytes(text));
  }
  return pieces;
}

/** Byte strings as a bundle lists them. */
export function listPieces(pieces: readonly Uint8Array[]): string[] {
  return [...pieces].sort(compareBytes).map(bytesToHex);
}

/** Evidence that is only a header; what an answer needs besides is added to it. */
export function evidenceOf(header: Uint8Array, parts: Partial<BundleEvidence>): BundleEvidence {
  const none = { ancestors: [], transactions: [], uncles: [], nodes: [], codes: [] };
  return { header: bytesToHex(header), ...none, ...parts };
}

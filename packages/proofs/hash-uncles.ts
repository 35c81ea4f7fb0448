import { bytesToHex } from '../ethereum/primitives/hex.ts';
import { keccak256 } from '../ethereum/primitives/keccak.ts';
import type { RlpWriter } from '../ethereum/primitives/rlp-writer.ts';
import type { Members } from './findings.ts';
import { findHeaderForm, writeHeader } from './hash-header.ts';
import { asText } from './members.ts';

/** Returns the hash of a list of uncles (`sha3Uncles`); undefined if an uncle does not match its own hash. */
export function hashUncles(uncles: readonly Members[], writer: RlpWriter): string | undefined {
  const mark = writer.mark;
  try {
    for (const uncle of uncles.toReversed()) {
      const form = findHeaderForm(uncle, asText(uncle['hash']), writer);
      if (form === undefined) return undefined;
      writeHeader(uncle, form, writer);
    }
    writer.list(mark);
    return bytesToHex(keccak256(writer.view(mark)));
  } finally {
    writer.rewind(mark);
  }
}

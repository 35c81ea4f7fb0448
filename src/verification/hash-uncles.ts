import { bytesToHex } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import type { RlpWriter } from '../primitives/rlp-writer.ts';
import type { Members } from './findings.ts';
import { findHeaderForm, writeHeader } from './hash-header.ts';
import { asText } from './members.ts';

/** The hash of a list of uncles that a header commits to; undefined where one of them does not hash to its hash. */
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

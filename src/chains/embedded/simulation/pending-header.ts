import type { ChainConfig } from '../../../../packages/ethereum/codecs/chain-config.ts';
import type { Header } from '../../../../packages/ethereum/codecs/header.ts';
import { type BlockRules, isMergedPast, rulesAt } from '../../../../packages/evm/transition/rules.ts';
import { nextBaseFee, nextExcessBlobGas } from '../import/validate-header.ts';
import type { StoredHeader } from '../store/chain-reader.ts';

/** Seconds from the head's timestamp to the pending block's: one slot. */
const SLOT_SECONDS = 12n;

/** Beneficiary of the pending block: as in geth, the zero address. */
export const NO_BENEFICIARY: Uint8Array = new Uint8Array(20);
const NO_RANDOM: Uint8Array = new Uint8Array(32);

/**
 * Builds the header for calls at `pending`. Number, parent hash, time, slot number, base fee and excess blob gas are those of the next block. As in
 * geth's pending block, beneficiary and random value are zero. Other fields, such as the gas limit, are those of the head.
 */
export function buildPendingHeader(head: StoredHeader, config: ChainConfig): Header {
  const number = head.header.number + 1n;
  const timestamp = head.header.timestamp + SLOT_SECONDS;
  const isMerged = isMergedPast(config, head);
  const rules = rulesAt(config, { number, timestamp, isMerged });
  const baseFeePerGas = nextBaseFee(head.header, rules);
  const excessBlobGas = nextExcessBlobGas(head.header, rules);
  return {
    ...head.header,
    parentHash: head.hash,
    number,
    timestamp,
    beneficiary: NO_BENEFICIARY,
    difficulty: rules.isMerged ? 0n : head.header.difficulty,
    mixHash: rules.isMerged ? NO_RANDOM : head.header.mixHash,
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
    ...(excessBlobGas !== undefined && { excessBlobGas }),
    ...slotAfter(head.header, rules),
  };
}

/** Returns the parent's slot number plus 1, as in geth; absent before Amsterdam (EIP-7843). */
function slotAfter({ slotNumber }: Header, { revision }: BlockRules): Pick<Header, 'slotNumber'> {
  return revision.hasBlockAccessList ? { slotNumber: slotNumber === undefined ? 0n : slotNumber + 1n } : {};
}

import type { ChainConfig } from '../../chain/chain-config.ts';
import type { Header } from '../../chain/header.ts';
import type { StoredHeader } from '../../store/chain-reader.ts';
import { nextBaseFee, nextExcessBlobGas } from '../import/validate-header.ts';
import { type BlockRules, isMergedPast, rulesAt } from '../transition/rules.ts';

/** Seconds from the head to the block that would follow it: one slot. */
const SLOT_SECONDS = 12n;

/** Of the block that geth prepares: tips of calls in it go to the zero address. */
export const NO_BENEFICIARY: Uint8Array = new Uint8Array(20);
const NO_RANDOM: Uint8Array = new Uint8Array(32);

/**
 * The header that calls at `pending` see: the next block's prices; no beneficiary and no random value, as in the block that geth
 * prepares; everything else as the head has it.
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

/** The slot number of a block that follows its parent in the next slot, as geth numbers it; none before Amsterdam (EIP-7843). */
function slotAfter({ slotNumber }: Header, { revision }: BlockRules): Pick<Header, 'slotNumber'> {
  return revision.hasBlockAccessList ? { slotNumber: slotNumber === undefined ? 0n : slotNumber + 1n } : {};
}

/** Blocks as JSON text, like single transactions in `case-json.ts`. */
import { accountFromJson, fromJson, toJson } from '../case-json.ts';
import type { BlockCase } from './block-case.ts';

export type SavedBlock = {
  /** The difference that was found, or the subject of the block. */
  readonly note: string;
  readonly blockCase: BlockCase;
};

export function encodeBlockCase({ note, blockCase }: SavedBlock): string {
  const { revision, accounts, block, withdrawals, transactions } = blockCase;
  const { beneficiary, ...fields } = block;
  const content = {
    note,
    revision,
    accounts: Object.fromEntries([...accounts].map(([address, account]) => [address, toJson(account)])),
    beneficiary,
    block: toJson(fields),
    withdrawals: toJson(withdrawals),
    transactions: toJson(transactions),
  };
  return `${JSON.stringify(content, undefined, 1)}\n`;
}

/** Parses the output of `encodeBlockCase`. */
export function decodeBlockCase(text: string): SavedBlock {
  const { note, revision, accounts, beneficiary, block, withdrawals, transactions } = JSON.parse(text);
  const fields = fromJson(block) as BlockCase['block'];
  const signed = fromJson(transactions) as BlockCase['transactions'];
  return {
    note,
    blockCase: {
      revision,
      accounts: new Map(Object.entries(accounts).map(([address, json]) => [address, accountFromJson(json)])),
      block: { ...fields, beneficiary, slotNumber: fields.slotNumber },
      withdrawals: fromJson(withdrawals) as BlockCase['withdrawals'],
      transactions: signed.map(({ key, body }) => ({
        key,
        body: { ...body, chainId: body.chainId, to: body.to },
      })),
    },
  };
}

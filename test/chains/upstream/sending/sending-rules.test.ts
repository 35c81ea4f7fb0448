import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SendingRuleBook } from '../../../../src/chains/upstream/sending/sending-rules.ts';
import { SENDING_TOOLS } from '../../../../src/service/sending-tools.ts';
import { createScope } from '../../../pool/support/exchange.ts';

const MAINNET = 1n;
const HASH = `0x${'ab'.repeat(32)}`;
/** Header after London. */
const HEADER = { gasLimit: '0x1c9c380', timestamp: '0x1', baseFeePerGas: '0x7' };
/** Header after Osaka, by its timestamp. */
const TIMED_OUT = { ...HEADER, timestamp: '0x6a000000', requestsHash: HASH };

/** Revision that applies to sent transactions where the head has this header. */
async function revisionAt(header: object, chainId: bigint = MAINNET): Promise<string | undefined> {
  const parts = {
    chainId: { value: chainId },
    isDevelopment: false,
    options: { rules: 'ethereum' },
    tools: SENDING_TOOLS,
    heads: { served: { number: 1n, hash: HASH } },
    answers: { blocks: { getHeaderObject: async () => JSON.stringify(header) } },
  } as unknown as ConstructorParameters<typeof SendingRuleBook>[0];
  return (await new SendingRuleBook(parts).read(createScope())).bounds?.revision.name;
}

test('the revision follows from the newest field of the header, and Osaka from the timestamp', async () => {
  assert.equal(await revisionAt(HEADER), 'london');
  assert.equal(await revisionAt({ ...HEADER, withdrawalsRoot: HASH }), 'shanghai');
  assert.equal(await revisionAt({ ...HEADER, requestsHash: HASH, blockAccessListHash: null }), 'prague');
  assert.equal(await revisionAt(TIMED_OUT), 'osaka');
  assert.equal(await revisionAt(TIMED_OUT, 99n), 'prague');
});

test('Amsterdam follows from the hash of the access list, with or without a slot number', async () => {
  const amsterdam = { ...TIMED_OUT, blockAccessListHash: HASH };
  assert.equal(await revisionAt(amsterdam), 'amsterdam');
  assert.equal(await revisionAt({ ...amsterdam, slotNumber: '0x5' }), 'amsterdam');
  assert.equal(await revisionAt(amsterdam, 99n), 'amsterdam');
});

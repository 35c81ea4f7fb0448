/** viem's actions for the OP Stack, and ethers, unmodified, against the built-in rollup of that family and against nodes behind the service. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Contract, JsonRpcProvider } from 'ethers';
import { createPublicClient, type Hex, http } from 'viem';
import { optimism } from 'viem/chains';
import { publicActionsL2 } from 'viem/op-stack';
import { addressOf, SOURCES, type Source } from '../support/development.ts';
import { type RunningService, startService } from '../support/service.ts';

const ORACLE = '0x420000000000000000000000000000000000000f';
const [ALICE, BOB] = [addressOf('alice'), addressOf('bob')];
/** Calldata of an ERC-20 transfer. */
const DATA: Hex = `0xa9059cbb${'00'.repeat(12)}${BOB.slice(2)}${'00'.repeat(31)}01`;

/** Minimum size of a transaction in bytes, and gas per byte (Fjord). */
const LEAST_SIZE = 100n;
const CALLDATA_GAS = 16n;

const row = (rest: object): Readonly<Record<string, unknown>> => ({
  networks: { op: { hosts: ['op.localhost'], ...rest } },
  defaultNetwork: 'op',
});

/** Starts the built-in rollup, or a service before it, which recognises its family. */
async function serve(source: Source): Promise<RunningService> {
  const builtin = await startService(row({ builtin: 'op-rollup', rollup: { family: 'op-stack' } }));
  if (source === 'embedded') return builtin;
  const upstreams = [`http://${builtin.authority}/v3/demo`];
  const front = await startService(row({ upstreams, rollup: {} }));
  return {
    ...front,
    async close() {
      await front.close();
      await builtin.close();
    },
  };
}

type Estimate = Readonly<Record<'gasLimit' | 'baseFeePerGas' | 'priorityFeePerGas', Hex>>;

for (const source of SOURCES) {
  describe(`an OP Stack rollup from an ${source} source`, () => {
    let service: RunningService;
    before(async () => {
      service = await serve(source);
    });
    after(() => service.close());

    const connect = () =>
      createPublicClient({
        chain: optimism,
        transport: http(`http://${service.authority}/v3/demo`),
      }).extend(publicActionsL2());

    const estimate = (call: object): Promise<Estimate> =>
      (connect().request as (request: object) => Promise<Estimate>)({
        method: 'op_estimateGas',
        params: [call],
      });

    for (const data of [undefined, DATA]) {
      test(`viem and the service compute about the same L1 fee of a ${data === undefined ? 'transfer' : 'call'}`, async () => {
        const client = connect();
        const transaction = { account: ALICE, to: BOB, ...(data === undefined ? { value: 1n } : { data }) };
        const l1Fee = await client.estimateL1Fee(transaction);
        const operatorFee = await client.estimateOperatorFee(transaction);
        assert.ok(l1Fee > 0n);
        assert.ok((await client.estimateTotalFee(transaction)) > l1Fee + operatorFee);
        const call = { from: ALICE, to: BOB, ...(data === undefined ? { value: '0x1' } : { data }) };
        const { gasLimit, priorityFeePerGas } = await estimate(call);
        const tip = await client.estimateMaxPriorityFeePerGas();
        const share = (BigInt(priorityFeePerGas) - tip) * BigInt(gasLimit);
        // viem's transaction has other prices and another nonce, which differ in a few of about a hundred bytes.
        const difference = share - l1Fee - operatorFee;
        assert.ok(difference < l1Fee / 4n && -difference < l1Fee / 4n, `${share}, ${l1Fee} + ${operatorFee}`);
      });
    }

    test('viem reads the gas and base fee of layer 1', async () => {
      const client = connect();
      const transaction = { account: ALICE, to: BOB, value: 1n };
      const l1Gas = await client.estimateL1Gas(transaction);
      assert.ok(l1Gas >= LEAST_SIZE * CALLDATA_GAS);
      assert.equal(
        await client.estimateTotalGas(transaction),
        l1Gas + (await client.estimateGas(transaction)),
      );
      assert.ok((await client.getL1BaseFee()) > 0n);
    });

    test('ethers reads the gas price oracle and the fee data', async () => {
      const provider = new JsonRpcProvider(`http://${service.authority}/v3/demo`);
      try {
        const oracle = new Contract(ORACLE, ['function getL1Fee(bytes) view returns (uint256)'], provider);
        assert.ok((await oracle.getFunction('getL1Fee').staticCall(DATA)) > 0n);
        const { maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData();
        assert.ok((maxFeePerGas ?? 0n) > (maxPriorityFeePerGas ?? 0n));
      } finally {
        provider.destroy();
      }
    });
  });
}

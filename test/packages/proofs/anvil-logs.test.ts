/** No false alarm: logs of real nodes are verified, those of the newest block included. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { createErc20InitCode } from '../../../scripts/contracts/erc20.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { ANVIL_SKIP, type Anvil, startAnvil } from '../../support/anvil.ts';
import { encodeTransfer } from '../../support/scene.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { openNetwork } from './liars.ts';

const TRANSFERS = 6;
const LIMIT_MS = 60_000;

/** Waits for the address of the contract that a transaction creates. */
async function waitForContract(anvil: Anvil, hash: unknown): Promise<string> {
  let address = '';
  await waitUntil(async () => {
    const receipt = await anvil.request('eth_getTransactionReceipt', hash);
    address = (receipt as { readonly contractAddress: string } | null)?.contractAddress ?? '';
    return address !== '';
  }, LIMIT_MS);
  return address;
}

test('logs of anvil are verified', { skip: ANVIL_SKIP }, async (t) => {
  const anvil = await startAnvil({});
  t.after(() => anvil.kill());
  const [from, to] = (await anvil.request('eth_accounts')) as [string, string];
  const code = bytesToHex(createErc20InitCode({ name: 'Token', symbol: 'T', supply: 10n ** 24n }));
  const hash = await anvil.request('eth_sendTransaction', { from, data: code, gas: '0x2dc6c0' });
  const token = await waitForContract(anvil, hash);
  for (let amount = 1n; amount <= TRANSFERS; amount++)
    await anvil.request('eth_sendTransaction', { from, to: token, data: encodeTransfer(to, amount) });
  await waitUntil(async () => Number(await anvil.request('eth_blockNumber')) > TRANSFERS, LIMIT_MS);
  const network = await openNetwork(anvil.httpUrl, 2, 0, {}, { verify: 'require' });
  t.after(() => network.close());
  const { rows = [] } = network.chain.describe().verification ?? {};
  assert.equal(rows.find(({ subject }) => subject === 'logs')?.state, 'verified');
  const scope = createScope();
  const blocks = {
    kind: 'range',
    from: { kind: 'number', number: 0n },
    to: { kind: 'tag', tag: 'latest' },
  } as const;
  const filter = { blocks, addresses: [token.toLowerCase()], topics: [] };
  const logs: unknown = JSON.parse(String(await network.chain.logs.getLogs(filter, scope)));
  assert.equal(scope.trust, 'proven');
  assert.deepEqual(logs, await anvil.request('eth_getLogs', { fromBlock: '0x0', address: token }));
  assert.ok((logs as readonly unknown[]).length >= TRANSFERS);
});

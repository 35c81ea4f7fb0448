/** viem's test client in anvil's mode: sets state, mines blocks, impersonates accounts, sets the clock, and reverts to a snapshot. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installFromNpm, runTool, type Tool } from './tool.ts';

const SCRIPT = `import { createTestClient, http, publicActions, walletActions } from 'viem';
const [url, id] = process.argv.slice(2);
const chain = { id: Number(id), name: 'tested', nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 }, rpcUrls: { default: { http: [url] } } };
const client = createTestClient({ chain, mode: 'anvil', transport: http(url, { retryCount: 0 }) }).extend(publicActions).extend(walletActions);
const seen = [];
const note = (what, value) => seen.push(what + ' ' + JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one)));
const address = '0x' + '42'.repeat(20);
const slot = '0x' + '00'.repeat(31) + '01';
const before = await client.getBlock();
const snapshot = await client.snapshot();
await client.setBalance({ address, value: 10n ** 18n });
note('balance', await client.getBalance({ address }));
await client.setNonce({ address, nonce: 7 });
note('nonce', await client.getTransactionCount({ address }));
await client.setCode({ address, bytecode: '0x60015460005260206000f3' });
note('code', await client.getCode({ address }));
await client.setStorageAt({ address, index: 1, value: '0x' + '00'.repeat(31) + '2a' });
note('storage', await client.getStorageAt({ address, slot }));
note('call', (await client.call({ to: address })).data);
await client.mine({ blocks: 3 });
note('mined', (await client.getBlockNumber({ cacheTime: 0 })) - before.number);
await client.setNextBlockTimestamp({ timestamp: before.timestamp + 86_400n });
await client.mine({ blocks: 1 });
note('clock', (await client.getBlock()).timestamp - before.timestamp);
const other = '0x' + '43'.repeat(20);
await client.setBalance({ address: other, value: 10n ** 18n });
await client.impersonateAccount({ address: other });
const hash = await client.sendTransaction({ account: other, to: address, value: 5n, gas: 100_000n });
const receipt = await client.waitForTransactionReceipt({ hash, timeout: 60_000, pollingInterval: 100 });
note('impersonated', [receipt.status, receipt.from, receipt.to, receipt.gasUsed]);
await client.stopImpersonatingAccount({ address: other });
note('refused', await client.sendTransaction({ account: other, to: address, value: 5n, gas: 100_000n }).then(() => 'sent', () => 'refused'));
await client.revert({ id: snapshot });
note('reverted', [(await client.getBlockNumber({ cacheTime: 0 })) - before.number, await client.getBalance({ address }), (await client.getBlock()).hash === before.hash]);
console.log(seen.join('\\n'));
`;

export const VIEM_TEST_CLIENT: Tool = {
  name: 'viem test client',
  does: 'balance, nonce, code and storage set; blocks mined, the clock set; an account impersonated; a snapshot gone back to',
  nodes: ['anvil'],
  development: ['anvil'],
  install: (folder) => installFromNpm(folder, ['viem']),
  async run({ url, chainId }, folder) {
    writeFileSync(join(folder, 'work.mjs'), SCRIPT);
    return runTool(folder, process.execPath, ['work.mjs', url, String(chainId)]);
  },
};

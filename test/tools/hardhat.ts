/** hardhat 3 with ignition: compiles contracts, deploys a module of them in several steps, calls the deployed contracts, and reads their events. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runHardhat, writeHardhatConfig } from './hardhat-project.ts';
import { installNode22 } from './installed-node.ts';
import { installFromNpm, type Tool } from './tool.ts';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
library Doubling {
  function double(uint256 value) external pure returns (uint256) { return value * 2; }
}
contract Counter {
  event Set(address indexed by, uint256 value);
  error TooLarge(uint256 value);
  uint256 public value;
  constructor(uint256 first) payable { value = first; }
  fallback() external payable {}
  function set(uint256 next) external {
    if (next > 100) revert TooLarge(next);
    value = Doubling.double(next);
    emit Set(msg.sender, value);
  }
}
`;
// The transfer has data because hardhat 3.18 signs a zero byte in place of empty data, and its estimate lacks the gas for that.
const MODULE = `import { buildModule } from '@nomicfoundation/hardhat-ignition/modules';
export default buildModule('Tested', (m) => {
  const libraries = { Doubling: m.library('Doubling') };
  const counter = m.contract('Counter', [7n], { libraries, value: 5n });
  const set = m.call(counter, 'set', [21n]);
  const logged = m.readEventArgument(set, 'Set', 'value');
  const read = m.staticCall(counter, 'value', [], 0, { after: [set] });
  const second = m.contract('Counter', [logged], { id: 'Second', libraries, after: [read] });
  m.send('funds', counter, 1n, '0x2a', { after: [second] });
  return { counter, second };
});
`;
// Nodes that make a block per transaction make none to confirm it.
const SETTINGS = 'ignition: { requiredConfirmations: 1 },';
const READ = `import { readFileSync } from 'node:fs';
import { network } from 'hardhat';
const { viem } = await network.create();
const client = await viem.getPublicClient();
// A busy geth --dev makes further blocks without transactions: numbers, fees, and hashes that depend on them, are of one run.
const VARYING = /^block|^(transactionHash|hash|effectiveGasPrice)$/;
const note = (what, value) => console.log(what, JSON.stringify(value, (key, one) =>
  VARYING.test(key) ? undefined : typeof one === 'bigint' ? String(one) : one));
const addresses = JSON.parse(readFileSync('ignition/deployments/tested/deployed_addresses.json', 'utf8'));
note('addresses', addresses);
const journal = readFileSync('ignition/deployments/tested/journal.jsonl', 'utf8').trim().split('\\n').map((line) => JSON.parse(line));
for (const { futureId, result } of journal.filter(({ result }) => result !== undefined)) note(futureId, result);
for (const { futureId, hash } of journal.filter(({ type }) => type === 'TRANSACTION_CONFIRM'))
  note(futureId, await client.getTransactionReceipt({ hash }));
const counter = await viem.getContractAt('Counter', addresses['Tested#Counter']);
const second = await viem.getContractAt('Counter', addresses['Tested#Second']);
note('values', [await counter.read.value(), await second.read.value()]);
note('balance', await client.getBalance({ address: counter.address }));
note('refused', await counter.simulate.set([101n]).catch((error) => [error.shortMessage, error.walk(({ data }) => data !== undefined)?.data]));
note('gas', await counter.estimateGas.set([30n]));
const hash = await counter.write.set([30n]);
note('receipt', await client.waitForTransactionReceipt({ hash, pollingInterval: 100 }));
note('events', await counter.getEvents.Set({}, { fromBlock: 0n }));
`;
const FILES = {
  'contracts/Counter.sol': SOURCE,
  'ignition/modules/Tested.ts': MODULE,
  'scripts/read.ts': READ,
};
export const HARDHAT: Tool = {
  name: 'hardhat',
  does: 'contracts compiled, an ignition module of a library, contracts, calls and a transfer deployed, a transaction sent, errors and events read',
  nodes: ['anvil', 'geth'],
  // hardhat mistakes a chain with this id for its own network, and requests `hardhat_metadata`.
  development: ['anvil'],
  writes: true,
  async install(folder) {
    const plugins = ['ignition', 'ignition-viem', 'viem', 'verify'].map(
      (name) => `@nomicfoundation/hardhat-${name}@3`,
    );
    const packages = ['hardhat@3', ...plugins, '@nomicfoundation/ignition-core@3', 'viem', 'solc'];
    return installFromNpm(folder, packages, await installNode22());
  },
  async run(chain, folder) {
    for (const name of ['cache', 'artifacts', 'ignition', 'contracts', 'scripts'])
      rmSync(join(folder, name), { recursive: true, force: true });
    for (const name of ['ignition/modules', 'contracts', 'scripts'])
      mkdirSync(join(folder, name), { recursive: true });
    writeHardhatConfig(folder, ['@nomicfoundation/hardhat-ignition-viem'], SETTINGS);
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    const deploy = ['ignition', 'deploy', 'ignition/modules/Tested.ts', '--deployment-id', 'tested'];
    await runHardhat(folder, chain, deploy);
    return runHardhat(folder, chain, ['run', 'scripts/read.ts']);
  },
};

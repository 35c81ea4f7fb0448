/**
 * subsquid's EVM processor with an RPC endpoint as its only source: blocks, transactions with receipts, logs, traces and state diffs, as
 * its handler receives them.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installFromNpm, runTool, type Tool } from './tool.ts';

const SCRIPT = `import evm from '@subsquid/evm-processor';
const [url, head, contract] = process.argv.slice(2);
const all = (names) => Object.fromEntries(names.split(' ').map((name) => [name, true]));
let height = -1;
let hash = '0x';
const move = ({ height: next, hash: of }) => ([height, hash] = [next, of]);
const database = {
  supportsHotBlocks: true,
  connect: async () => ({ height, hash, top: [] }),
  transact: async ({ nextHead }, handle) => { await handle({}); move(nextHead); },
  transactHot2: async ({ newBlocks }, handle) => { await handle({}, 0, newBlocks.length); move(newBlocks.at(-1)); },
};
const processor = new evm.EvmBatchProcessor()
  .setRpcEndpoint({ url, capacity: 4, maxBatchCallSize: 20 })
  .setFinalityConfirmation(0)
  .setBlockRange({ from: 0, to: Number(head) })
  .setFields({
    block: all('timestamp nonce sha3Uncles logsBloom transactionsRoot stateRoot receiptsRoot mixHash miner difficulty extraData size gasLimit gasUsed baseFeePerGas'),
    transaction: all('from to hash gas gasPrice maxFeePerGas maxPriorityFeePerGas input nonce value v r s yParity chainId sighash contractAddress gasUsed cumulativeGasUsed effectiveGasPrice type status'),
    log: all('address topics data transactionHash'),
    trace: all('createFrom createValue createGas createInit createResultGasUsed createResultCode createResultAddress callFrom callTo callValue callGas callInput callSighash callResultGasUsed callResultOutput callCallType error revertReason'),
    stateDiff: all('kind prev next'),
  })
  .includeAllBlocks()
  .addLog({ address: [contract.toLowerCase()], transaction: true })
  .addTransaction({})
  .setRpcDataIngestionSettings(JSON.parse(process.argv[5]));
if (process.argv[6] === 'traces') processor.addTrace({ range: { from: 1 } }).addStateDiff({ range: { from: 1 } });
const plain = (key, value) =>
  key === 'block' || key === 'transaction' ? undefined : typeof value === 'bigint' ? String(value) : value;
processor.run(database, async ({ blocks }) => {
  for (const { header, ...items } of blocks) {
    console.log(JSON.stringify({ header }, plain));
    for (const [kind, list] of Object.entries(items)) for (const item of list) console.log(kind, JSON.stringify(item, plain));
  }
});
`;

/** Chain id of `geth --dev`. */
const GETH_DEV_CHAIN = 1337;
/** Options of the data source that select methods for traces and state diffs. */
const DEBUG = { useDebugApiForStateDiffs: true };
const TRACE = { preferTraceApi: true };

export const SUBSQUID: Tool = {
  name: 'subsquid',
  does: 'headers, transactions with receipts, logs, call traces and changes of state of every block, from RPC alone',
  nodes: ['anvil', 'geth', 'embedded'],
  install: (folder) => installFromNpm(folder, ['@subsquid/evm-processor']),
  async run({ url, head, contract, chainId, hasTraces }, folder) {
    writeFileSync(join(folder, 'work.mjs'), SCRIPT);
    const settings = JSON.stringify(chainId === GETH_DEV_CHAIN ? DEBUG : TRACE);
    const args = ['work.mjs', url, String(head), contract, settings, hasTraces ? 'traces' : 'none'];
    const printed = await runTool(folder, process.execPath, args);
    // Its own log, in JSON, is part of the same output.
    return printed
      .split('\n')
      .filter((line) => !line.startsWith('{"level"'))
      .join('\n');
  },
};

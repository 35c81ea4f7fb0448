/** Every tool, over stdio, on networks that the shipped program serves in the process of the tools. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Address, createPublicClient, formatEther, getAddress, http, parseAbi } from 'viem';
import { ERC20_ABI } from '../../scripts/contracts/erc20.ts';
import { REFUSED_CODE, REVERT_REASON } from '../../scripts/contracts/reverter.ts';
import { ROOT } from '../../scripts/program-files.ts';
import { listBuiltinNetworks } from '../../src/config/builtin-config.ts';
import { MAX_TOOL_ANSWER_BYTES } from '../../src/mcp/bounded-text.ts';
import { listTools } from '../../src/mcp/tools.ts';
import { placeBuiltinStores } from '../support/builtin-stores.ts';
import { addressOf, FACTS } from '../support/development.ts';
import { type RunningService, startService } from '../support/service.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { startStdio, type ToolClient } from './support.ts';

const { devnet, rollup } = FACTS;
const [ALICE, BOB] = [addressOf('alice'), addressOf('bob')];
const TRANSFER = 'Transfer(address indexed from, address indexed to, uint256 value)';
const NETWORKS = {
  defaultNetwork: 'devnet',
  networks: { devnet: { hosts: ['devnet.localhost'], builtin: 'devnet' } },
};

const folder = makeTemporaryFolder();
let tools: ToolClient;
/** Service with the same chain for viem, which decodes independently of the tools. */
let service: RunningService;
let viem: ReturnType<typeof createPublicClient>;

before(async () => {
  const { devnet, rollup } = listBuiltinNetworks().networks;
  // A busy machine may need more than the default of 5 s for a call.
  const callTimeout = '60s';
  const networks = { devnet: { ...devnet, callTimeout }, rollup: { ...rollup, callTimeout } };
  const file = join(folder.path, 'portcullis.yaml');
  writeFileSync(file, JSON.stringify({ dataDir: folder.path, networks }));
  await placeBuiltinStores(folder.path, { networks });
  tools = await startStdio(['--config', file]);
  service = await startService(NETWORKS);
  viem = createPublicClient({ transport: http(`http://${service.authority}/devnet/v3/demo`) });
});

after(async () => {
  await tools?.close();
  await service?.close();
  folder.remove();
});

test('clients see a dozen tools, each with a schema that lists the networks', async () => {
  const { tools: listed } = await tools.client.listTools();
  assert.deepEqual(
    listed.map(({ name }) => name),
    listTools(false).map(({ name }) => name),
  );
  assert.equal(listed.length, 12);
  for (const { name, inputSchema, annotations } of listed) {
    const { network } = (inputSchema.properties ?? {}) as Record<string, { enum?: unknown } | undefined>;
    if (name !== 'networks') assert.deepEqual(network?.enum, ['devnet', 'rollup'], name);
    assert.equal(annotations?.readOnlyHint, true, name);
  }
});

type NetworkRow = {
  readonly network: string;
  readonly chainId: number;
  readonly trust: string;
  readonly block: { readonly number: number; readonly hash: string };
};

test('networks: chain ids and heads', async () => {
  const { networks } = await tools.read('networks');
  const found = (networks as NetworkRow[]).map(({ network, chainId, block, trust }) => [
    network,
    chainId,
    block.number,
    block.hash,
    trust,
  ]);
  assert.deepEqual(found, [
    ['devnet', devnet.chainId, devnet.headNumber, devnet.headHash, 'unmarked'],
    ['rollup', rollup.chainId, rollup.headNumber, rollup.headHash, 'unmarked'],
  ]);
});

test('block: by tag, decimal number and hash, with or without transactions', async () => {
  const byTag = await tools.read('block');
  assert.deepEqual((byTag['block'] as { hash: string }).hash, devnet.headHash);
  const known = await viem.getBlock({
    blockNumber: BigInt(devnet.everyTypeBlock),
    includeTransactions: true,
  });
  const byNumber = await tools.read('block', { block: devnet.everyTypeBlock, transactions: true });
  assert.equal(byNumber['gasUsed'], known.gasUsed.toString());
  assert.deepEqual(
    (byNumber['transactions'] as { hash: string; ether: string }[]).map(({ hash, ether }) => [hash, ether]),
    known.transactions.map(({ hash, value }) => [hash, formatEther(value)]),
  );
  const byHash = await tools.read('block', { block: known.hash });
  assert.deepEqual(
    byHash['transactions'],
    known.transactions.map(({ hash }) => hash),
  );
  assert.match(await tools.fail('block', { block: 1_000_000 }), /network devnet has no block 0xf4240/);
});

test('call: encodes the arguments and decodes the result', async () => {
  const abi = parseAbi(ERC20_ABI);
  const token = devnet.erc20 as Address;
  const answer = await tools.read('call', {
    to: token,
    signature: 'balanceOf(address)(uint256)',
    args: [ALICE],
  });
  const known = await viem.readContract({ address: token, abi, functionName: 'balanceOf', args: [ALICE] });
  assert.equal(answer['result'], known.toString());
  assert.deepEqual(answer['block'], {
    number: devnet.headNumber,
    hash: devnet.headHash,
    time: new Date(Number((await viem.getBlock()).timestamp) * 1_000).toISOString(),
  });
  const named = { to: token, signature: 'function decimals() view returns (uint8 places)' };
  assert.deepEqual((await tools.read('call', named))['result'], { places: 18 });
  const text = await tools.read('call', { to: token, signature: 'name()(string)', block: 'finalized' });
  assert.equal(text['result'], 'Portcullis Token');
});

test('call: mistakes are explained', async () => {
  const to = devnet.erc20;
  const signature = 'balanceOf(address)(uint256)';
  assert.match(await tools.fail('call', { to, signature }), /1 parameters, and args has 0/);
  assert.match(
    await tools.fail('call', { to, signature, args: [5] }),
    /args\[0\]: expected a text for address/,
  );
  assert.match(await tools.fail('call', { to, signature: 'balanceOf' }), /not the signature of a function/);
  assert.match(await tools.fail('call', { to, signature: 'f(uint)(nothing)' }), /signature .* is invalid/);
  assert.match(await tools.fail('call', { to: ALICE, signature, args: [BOB] }), /has no code/);
  assert.match(await tools.fail('call', { too: to }), /no argument "too", did you mean to/);
  assert.match(
    await tools.fail('call', { to, network: 'devnets' }),
    /no network devnets, did you mean devnet/,
  );
  assert.match(await tools.fail('calls'), /no tool "calls", did you mean call/);
  assert.match(
    await tools.fail('call', { to: devnet.reverter, signature: 'revertString()' }),
    new RegExp(`eth_call: execution reverted: ${REVERT_REASON} \\(code 3\\)`),
  );
});

test('logs: found by event and indexed parameter, and decoded', async () => {
  const known = await viem.getContractEvents({
    address: devnet.erc20 as Address,
    abi: parseAbi(ERC20_ABI),
    eventName: 'Transfer',
    args: { to: BOB },
    fromBlock: 0n,
  });
  assert.ok(known.length > 0);
  const answer = await tools.read('logs', {
    address: devnet.erc20,
    event: TRANSFER,
    where: { to: BOB },
    fromBlock: 'earliest',
  });
  assert.equal(answer['found'], known.length);
  assert.deepEqual(
    (answer['logs'] as { block: number; args: unknown }[]).map(({ block, args }) => [block, args]),
    known.map(({ blockNumber, args: { from, to, amount } }) => [
      Number(blockNumber),
      { from, to, value: String(amount) },
    ]),
  );
  const limited = await tools.read('logs', { fromBlock: 0, limit: 1 });
  assert.equal((limited['logs'] as unknown[]).length, 1);
  assert.match(String(limited['shown']), /the first 1/);
  assert.match(
    await tools.fail('logs', { event: TRANSFER, where: { value: 1 } }),
    /no indexed parameter "value"/,
  );
  assert.match(await tools.fail('logs', { fromBlock: 5, toBlock: 4 }), /fromBlock 5 is after toBlock 4/);
});

test('transaction: with its outcome, fee and decoded logs', async () => {
  const [known] = await viem.getContractEvents({
    address: devnet.erc20 as Address,
    abi: parseAbi(ERC20_ABI),
    eventName: 'Transfer',
    args: { from: ALICE },
    fromBlock: 0n,
  });
  assert.ok(known !== undefined);
  const receipt = await viem.getTransactionReceipt({ hash: known.transactionHash });
  const answer = await tools.read('transaction', { hash: known.transactionHash });
  assert.equal(answer['status'], 'success');
  assert.equal(
    (answer['fee'] as { wei: string }).wei,
    (receipt.gasUsed * receipt.effectiveGasPrice).toString(),
  );
  assert.equal((answer['block'] as { hash: string }).hash, known.blockHash);
  const log = (answer['logs'] as { index: number; event?: string; args?: unknown }[]).find(
    ({ index }) => index === known.logIndex,
  );
  assert.equal(log?.event, 'Transfer(address,address,uint256)');
  assert.deepEqual(log?.args, { from: known.args.from, to: known.args.to, value: `${known.args.amount}` });
  assert.match(await tools.fail('transaction', { hash: `0x${'00'.repeat(32)}` }), /knows no transaction/);
});

test('balance: ether and tokens', async () => {
  const answer = await tools.read('balance', { address: ALICE, tokens: [devnet.erc20, devnet.reverter] });
  const wei = await viem.getBalance({ address: ALICE });
  assert.deepEqual(answer['balance'], { wei: wei.toString(), ether: formatEther(wei) });
  assert.equal(answer['nonce'], await viem.getTransactionCount({ address: ALICE }));
  const units = await viem.readContract({
    address: devnet.erc20 as Address,
    abi: parseAbi(ERC20_ABI),
    functionName: 'balanceOf',
    args: [ALICE],
  });
  assert.deepEqual(answer['tokens'], [
    { token: devnet.erc20, symbol: 'PORT', units: units.toString(), amount: formatEther(units) },
    { token: devnet.reverter, error: 'the contract has no balanceOf(address)' },
  ]);
});

test('contract: a token, an account, and an account that delegates', async () => {
  const token = await tools.read('contract', { address: devnet.erc20 });
  const code = await viem.getCode({ address: devnet.erc20 as Address });
  assert.equal(token['codeBytes'], (String(code).length - 2) / 2);
  assert.equal(token['isContract'], true);
  const { name, symbol, decimals } = token['token'] as Record<string, unknown>;
  assert.deepEqual([name, symbol, decimals], ['Portcullis Token', 'PORT', 18]);
  assert.equal(token['code'], undefined);
  assert.equal((await tools.read('contract', { address: devnet.erc20, withCode: true }))['code'], code);
  const unused = await tools.read('contract', { address: `0x${'12'.repeat(20)}` });
  assert.equal(unused['isContract'], false);
  const delegating = FACTS.devnet.accounts.map(({ address }) => address);
  const codes = await Promise.all(delegating.map((address) => viem.getCode({ address: address as Address })));
  const at = codes.findIndex((one) => one?.startsWith('0xef0100') === true);
  assert.ok(at >= 0);
  const account = await tools.read('contract', { address: delegating[at] });
  assert.equal(account['delegatesTo'], `0x${codes[at]?.slice(8)}`);
});

type SimulatedRow = {
  readonly status: string;
  readonly result?: unknown;
  readonly error?: string;
  readonly revert?: unknown;
  readonly logs?: readonly { readonly args?: unknown }[];
};

test('simulate: calls see the changes of earlier ones, and nothing remains', async () => {
  const transfer = { from: ALICE, to: devnet.erc20, signature: 'transfer(address,uint256)(bool)' };
  const balance = { to: devnet.erc20, signature: 'balanceOf(address)(uint256)', args: [BOB] };
  const before = (await tools.read('call', balance))['result'] as string;
  const answer = await tools.read('simulate', {
    calls: [
      { ...transfer, args: [BOB, '5'] },
      balance,
      { from: ALICE, to: BOB, value: 7 },
      { to: devnet.reverter, signature: 'revertCustom()' },
      { to: devnet.reverter, signature: 'invalidOpcode()' },
    ],
    errors: ['Refused(address caller, uint256 code)'],
  });
  const [sent, read, paid, refused, halted] = answer['calls'] as SimulatedRow[];
  assert.equal(sent?.result, true);
  const [log] = sent.logs ?? [];
  assert.deepEqual(log?.args, { from: getAddress(ALICE), to: getAddress(BOB), value: '5' });
  assert.equal(read?.result, (BigInt(before) + 5n).toString());
  // EIP-7708 and traceTransfers write transfers of ether as logs.
  const [moved] = paid?.logs ?? [];
  assert.deepEqual(moved?.args, { from: getAddress(ALICE), to: getAddress(BOB), value: '7' });
  assert.deepEqual(refused?.revert, {
    kind: 'custom',
    error: 'Refused(address,uint256)',
    args: { caller: `0x${'00'.repeat(20)}`, code: REFUSED_CODE.toString() },
  });
  assert.equal(halted?.status, 'failed');
  assert.match(String(halted?.error), /invalid opcode/);
  assert.equal((await tools.read('call', balance))['result'], before);
  assert.match(await tools.fail('simulate', { calls: [] }), /pass 1 to 50/);
});

test('prove: the values lead to the hash of the block', async () => {
  const { stateRoot } = await viem.getBlock();
  const slot = '0x2';
  const answer = await tools.read('prove', {
    address: devnet.erc20,
    slots: [slot, 12345],
    block: devnet.headHash,
  });
  assert.equal(answer['isVerified'], true);
  assert.equal(answer['stateRoot'], stateRoot);
  const known = await viem.getProof({
    address: devnet.erc20 as Address,
    storageKeys: [`0x${'2'.padStart(64, '0')}`],
  });
  const account = answer['account'] as Record<string, unknown>;
  assert.equal(account['codeHash'], known.codeHash);
  assert.equal(account['nonce'], known.nonce);
  assert.deepEqual(answer['slots'], [
    { slot, value: `0x${(known.storageProof[0]?.value ?? 0n).toString(16).padStart(64, '0')}` },
    { slot: '0x3039', value: `0x${'00'.repeat(32)}` },
  ]);
  const absent = await tools.read('prove', { address: `0x${'12'.repeat(20)}`, withProof: true });
  assert.equal(absent['account'], 'the account does not exist');
  assert.ok((absent['accountProof'] as unknown[]).length > 0);
});

test('explain_revert: reasons, panics, custom errors and halts of calls', async () => {
  const explain = async (signature: string, errors: string[] = []): Promise<unknown> => {
    const answer = await tools.read('explain_revert', { to: devnet.reverter, signature, errors });
    return answer['isReverted'] === true ? answer['revert'] : 'success';
  };
  assert.equal(await explain('ok()(uint256)'), 'success');
  assert.deepEqual(await explain('revertString()'), { kind: 'error', reason: REVERT_REASON });
  assert.deepEqual(await explain('panicOverflow()'), {
    kind: 'panic',
    code: '0x11',
    reason: 'arithmetic overflow or underflow',
  });
  assert.deepEqual(await explain('revertCustom()', ['Refused(address caller, uint256 code)']), {
    kind: 'custom',
    error: 'Refused(address,uint256)',
    args: { caller: `0x${'00'.repeat(20)}`, code: REFUSED_CODE.toString() },
  });
  assert.equal(((await explain('revertCustom()')) as { kind: string }).kind, 'unknown');
  assert.equal(((await explain('revertEmpty()')) as { kind: string }).kind, 'empty');
  for (const halt of ['invalidOpcode()', 'badJump()', 'stackUnderflow()', 'stackOverflow()', 'loopForever()'])
    assert.equal(((await explain(halt)) as { kind: string }).kind, 'halt', halt);
  const overdrawn = await tools.read('explain_revert', { from: ALICE, to: BOB, value: `1${'0'.repeat(40)}` });
  assert.match(JSON.stringify(overdrawn['revert']), /insufficient funds/);
});

test('explain_revert: failed transactions of the chain', async () => {
  const reasons = new Set<string>();
  for (let number = 0n; number <= BigInt(devnet.headNumber); number++) {
    const { transactions } = await viem.getBlock({ blockNumber: number, includeTransactions: true });
    for (const { hash, to } of transactions) {
      if (to !== devnet.reverter) continue;
      const { status } = await viem.getTransactionReceipt({ hash });
      const answer = await tools.read('explain_revert', { transaction: hash });
      assert.equal(answer['isReverted'], status === 'reverted', hash);
      const { reason, kind } = (answer['revert'] ?? {}) as Record<string, string | undefined>;
      reasons.add(`${kind}: ${reason}`);
    }
  }
  assert.ok(reasons.has(`error: ${REVERT_REASON}`), [...reasons].join('\n'));
});

test('fees: of the head and the next block', async () => {
  const { baseFeePerGas } = await viem.getBlock();
  const answer = await tools.read('fees');
  assert.equal(answer['baseFeeGwei'], formatGwei(baseFeePerGas ?? 0n));
  const history = await viem.getFeeHistory({ blockCount: 1, rewardPercentiles: [] });
  assert.equal(answer['nextBaseFeeGwei'], formatGwei(history.baseFeePerGas.at(-1) ?? 0n));
  const { slow, fast } = answer['suggested'] as Record<string, { maxFeeGwei: string }>;
  assert.ok(Number(slow?.maxFeeGwei) <= Number(fast?.maxFeeGwei));
});

function formatGwei(wei: bigint): string {
  return String(Number(wei) / 1e9);
}

test('rpc: reads of the method table, and no method that sends', async () => {
  const { result } = await tools.read('rpc', { method: 'eth_getBalance', params: [ALICE, 'latest'] });
  assert.equal(BigInt(result as string), await viem.getBalance({ address: ALICE }));
  const answer = await tools.read('rpc', {
    method: 'eth_getBlockTransactionCountByNumber',
    params: ['latest'],
  });
  assert.equal((answer['block'] as { number: number }).number, devnet.headNumber);
  const refused = await tools.fail('rpc', { method: 'eth_sendRawTransaction', params: ['0x00'] });
  assert.match(refused, /without --allow-sending/);
  assert.match(await tools.fail('rpc', { method: 'eth_subscribe', params: ['newHeads'] }), /has no method/);
  assert.match(
    await tools.fail('rpc', { method: 'eth_getBalance', params: [ALICE, 'newest'] }),
    /^invalid arguments: /,
  );
  assert.match(await tools.fail('rpc', { method: 'eth_getBalanc' }), /did you mean eth_getBalance/);
  assert.match(
    await tools.fail('rpc', { method: 'evm_mine' }),
    /^evm_mine changes a development node, .*without --allow-sending$/,
  );
  const unknown = await tools.fail('rpc', { method: 'eth_retrieveProof' });
  const [, nearest, rest = ''] = /; there are: (\w+), (.*), and \d+ more$/.exec(unknown) ?? [];
  assert.equal(nearest, 'eth_getProof', unknown);
  assert.deepEqual(rest.split(', '), rest.split(', ').sort(), unknown);
  assert.match(
    await tools.fail('rpc', { method: 'eth_getBalance' }),
    /missing value for required argument 0/,
  );
});

test('the examples of docs/mcp.md are answered, and the answer in it is exact', async () => {
  const text = readFileSync(join(ROOT, 'docs/mcp.md'), 'utf8');
  const examples = [...text.matchAll(/^\| `(\w+)` \| `(\{.*\})` \|$/gm)];
  assert.deepEqual(
    examples.map(([, name]) => name),
    listTools(false).map(({ name }) => name),
  );
  const answers = new Map<string, unknown>();
  for (const [, name = '', args = ''] of examples)
    answers.set(name, await tools.read(name, JSON.parse(args) as Record<string, unknown>));
  const [, answer = ''] = /```json\n(\{\n {2}"network"[^`]*)```/.exec(text) ?? [];
  assert.deepEqual(answers.get('call'), JSON.parse(answer));
});

test('answers beyond the bound are cut, and say where', async () => {
  const { text, json, isError } = await tools.call('logs', { fromBlock: 0, limit: 1_000 });
  assert.ok(!isError && Buffer.byteLength(text) <= MAX_TOOL_ANSWER_BYTES, text.slice(0, 200));
  const [first, second] = json['cut'] as string[];
  assert.match(String(first), /exceeds the limit of 20000 bytes/);
  assert.match(String(second), /^logs: \d+ of \d+ shown$/);
  assert.ok((json['logs'] as unknown[]).length > 0);
});

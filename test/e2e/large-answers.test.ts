/** Receipts of a block with many logs, several megabytes of JSON, through each library and transport. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { JsonRpcProvider, WebSocketProvider } from 'ethers';
import { createPublicClient, http, webSocket } from 'viem';
import { Web3 } from 'web3';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { assemble } from '../../scripts/assembler.ts';
import { importChain } from '../../src/service/import.ts';
import { SILENT_PROGRESS } from '../../src/service/import-progress.ts';
import { ChainBuilder, signTransaction } from '../support/chain-builder.ts';
import { createHttpExchanger, openWebSocketExchanger } from '../support/clients.ts';
import { urlOf } from '../support/development.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { type RunningService, startService } from '../support/service.ts';
import { ALICE_KEY, createGenesis } from '../support/test-chain.ts';

const LOGS_PER_TRANSACTION = 1_000;
const TRANSACTIONS = 10;
const LOGGER = `0x${'10'.repeat(20)}`;
const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockReceipts","params":["0x1"]}';

/** Code that makes `LOGS_PER_TRANSACTION` logs of one topic and one word. */
const CODE = assemble(`
  ${LOGS_PER_TRANSACTION}
  next:
  DUP1 32 0 LOG1
  1 SWAP1 SUB DUP1 @next JUMPI STOP
`);

const folder = makeTemporaryFolder();
let service: RunningService;

before(async () => {
  const genesis = createGenesis({
    revision: 'cancun',
    alloc: { [LOGGER]: { balance: '0', code: bytesToHex(CODE) } },
  });
  const builder = new ChainBuilder(genesis);
  const transactions = Array.from({ length: TRANSACTIONS }, (_, nonce) =>
    signTransaction(ALICE_KEY, { nonce: BigInt(nonce), to: hexToBytes(LOGGER), gasLimit: 2_000_000n }),
  );
  await builder.add({ transactions });
  const files = { genesis: join(folder.path, 'genesis.json'), blocks: join(folder.path, 'blocks.rlp') };
  writeFileSync(files.genesis, genesis);
  writeFileSync(files.blocks, builder.encode());
  const data = join(folder.path, 'chain');
  await importChain({ ...files, data, seal: 'ethash-format' }, SILENT_PROGRESS);
  service = await startService({
    dataDir: folder.path,
    defaultNetwork: 'large',
    networks: { large: { hosts: ['large.localhost'], embedded: { data } } },
  });
});

after(async () => {
  await service.close();
  folder.remove();
  assert.deepEqual(service.errors, []);
});

function check(receipts: unknown): void {
  assert.ok(Array.isArray(receipts));
  assert.equal(receipts.length, TRANSACTIONS);
  const indexes = receipts.flatMap(({ logs }) => logs.map(({ logIndex }: { logIndex: string }) => logIndex));
  assert.equal(indexes.length, TRANSACTIONS * LOGS_PER_TRANSACTION);
  indexes.forEach((index, n) => {
    assert.equal(Number(index), n);
  });
}

test('the answer has several megabytes, and is the same over HTTP and WebSocket, also in a batch', async () => {
  const overHttp = createHttpExchanger(service.authority);
  const overSocket = await openWebSocketExchanger(service.authority);
  const answer = await overHttp.send(REQUEST);
  assert.ok(answer.length > 4_000_000 && answer.length < 10_000_000, String(answer.length));
  check(JSON.parse(answer).result);
  assert.equal(await overSocket.send(REQUEST), answer);
  assert.equal(await overSocket.send(`[${REQUEST},${REQUEST}]`), `[${answer},${answer}]`);
  await overSocket.close();
});

test('ethers receives the large answer', async () => {
  for (const provider of [
    new JsonRpcProvider(urlOf(service, 'HTTP')),
    new WebSocketProvider(urlOf(service, 'WebSocket')),
  ]) {
    check(await provider.send('eth_getBlockReceipts', ['0x1']));
    await provider.destroy();
  }
});

test('viem receives the large answer', async () => {
  const request = { method: 'eth_getBlockReceipts', params: ['0x1'] } as never;
  check(await createPublicClient({ transport: http(urlOf(service, 'HTTP')) }).request(request));
  const client = createPublicClient({ transport: webSocket(urlOf(service, 'WebSocket')) });
  check(await client.request(request));
  (await client.transport.getRpcClient()).close();
});

test('web3 receives the large answer', async () => {
  const request = { method: 'eth_getBlockReceipts', params: ['0x1'] } as never;
  check(await new Web3(urlOf(service, 'HTTP')).eth.requestManager.send(request));
  const overSocket = new Web3(urlOf(service, 'WebSocket'));
  check(await overSocket.eth.requestManager.send(request));
  overSocket.currentProvider?.disconnect();
});

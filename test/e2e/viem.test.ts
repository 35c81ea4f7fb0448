/** viem, unmodified and with its default settings unless a test says otherwise. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  ExecutionRevertedError,
  encodeFunctionData,
  type Hex,
  type HttpTransportConfig,
  http,
  InsufficientFundsError,
  MethodNotFoundRpcError,
  type PublicClient,
  parseAbi,
  RpcRequestError,
  TransactionNotFoundError,
  webSocket,
} from 'viem';
import { estimateGas as estimateLineaGas } from 'viem/linea';
import { ERC20_ABI } from '../../scripts/contracts/erc20.ts';
import {
  RAW_REVERT_DATA,
  REFUSED_CODE,
  REVERT_REASON,
  REVERTER_ABI,
} from '../../scripts/contracts/reverter.ts';
import {
  addressOf,
  FACTS,
  SOURCES,
  TRANSPORTS,
  type Transport,
  urlOf,
  useNetworks,
} from '../support/development.ts';
import type { RunningService } from '../support/service.ts';

const { devnet, rollup } = FACTS;
const [ALICE, BOB] = [addressOf('alice'), addressOf('bob')];
const TOKEN = { address: devnet.erc20 as Hex, abi: parseAbi(ERC20_ABI) } as const;
const REVERTER = { address: devnet.reverter as Hex, abi: parseAbi(REVERTER_ABI) } as const;
/** More tokens, and more wei, than exist. */
const TOO_MANY = 10n ** 40n;

type Client = {
  readonly client: PublicClient;
  /** Sends a request for methods without types in viem. */
  request(method: string, params?: readonly unknown[]): Promise<unknown>;
  close(): Promise<void>;
};

type AnyRequest = (request: {
  readonly method: string;
  readonly params: readonly unknown[];
}) => Promise<unknown>;

function connect(service: RunningService, transport: Transport, options: HttpTransportConfig = {}): Client {
  const url = urlOf(service, transport);
  const socket = createPublicClient({ transport: webSocket(url) });
  const client = transport === 'HTTP' ? createPublicClient({ transport: http(url, options) }) : socket;
  const request = client.request as AnyRequest;
  return {
    client,
    request: (method, params = []) => request({ method, params }),
    async close() {
      if (transport === 'WebSocket') (await socket.transport.getRpcClient()).close();
    },
  };
}

/** Returns the first cause of this kind in the error of a call. */
async function catchCause<E extends Error>(
  call: Promise<unknown>,
  kind: new (...args: never[]) => E,
): Promise<E> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof BaseError, String(error));
  const cause = error.walk((one) => one instanceof kind);
  assert.ok(cause instanceof kind, error.message);
  return cause;
}

/** Returns code and message of the error on the wire. */
async function catchRpcError(call: Promise<unknown>): Promise<readonly [number, string]> {
  const { code, details } = await catchCause(call, RpcRequestError);
  return [code, details];
}

for (const source of SOURCES) {
  describe(`viem on ${source} networks`, () => {
    const services = useNetworks(source);

    for (const transport of TRANSPORTS) {
      describe(`viem over ${transport}`, () => {
        let connection: Client;
        let client: PublicClient;

        before(() => {
          connection = connect(services().devnet, transport);
          client = connection.client;
        });
        after(() => connection.close());

        test('reads the chain id and the block number', async () => {
          assert.equal(await client.getChainId(), devnet.chainId);
          assert.equal(await client.getBlockNumber(), BigInt(devnet.headNumber));
        });

        test('reads a contract in the current and past state', async () => {
          assert.equal(await client.readContract({ ...TOKEN, functionName: 'name' }), 'Portcullis Token');
          const read = { ...TOKEN, functionName: 'balanceOf', args: [ALICE] } as const;
          const balance = await client.readContract(read);
          for (const blockTag of ['latest', 'safe', 'finalized', 'pending'] as const) {
            assert.equal(await client.readContract({ ...read, blockTag }), balance);
          }
          const earlier = await client.readContract({ ...read, blockNumber: 20n });
          assert.ok(earlier > 0n && earlier !== balance);
        });

        test('simulates a transaction, estimates its gas, and overrides code', async () => {
          const transfer = { ...TOKEN, functionName: 'transfer', args: [BOB, 5n], account: ALICE } as const;
          assert.equal((await client.simulateContract(transfer)).result, true);
          const gas = await client.estimateContractGas(transfer);
          assert.ok(gas > 21_000n && gas < 60_000n, String(gas));
          assert.equal(await client.estimateGas({ account: ALICE, to: BOB, value: 1n }), 21_000n);
          // PUSH1 42, returned as a word.
          const code = '0x602a60005260206000f3';
          const { data } = await client.call({ to: BOB, stateOverride: [{ address: BOB, code }] });
          assert.equal(BigInt(data ?? 0), 42n);
        });

        test('decodes Error(string) to its reason', async () => {
          for (const functionName of ['revertString', 'revertNested'] as const) {
            const call = client.readContract({ ...REVERTER, functionName });
            assert.equal((await catchCause(call, ContractFunctionRevertedError)).reason, REVERT_REASON);
          }
          const { reason } = await catchCause(
            client.estimateContractGas({
              ...TOKEN,
              functionName: 'transfer',
              args: [BOB, TOO_MANY],
              account: ALICE,
            }),
            ContractFunctionRevertedError,
          );
          assert.equal(reason, 'ERC20: transfer amount exceeds balance');
        });

        test('names Panic(uint256)', async () => {
          for (const [functionName, reason] of [
            ['panicAssert', /assert/],
            ['panicOverflow', /overflow/],
            ['panicDivision', /zero/],
          ] as const) {
            const call = client.readContract({ ...REVERTER, functionName });
            const error = await catchCause(call, ContractFunctionRevertedError);
            assert.equal(error.data?.errorName, 'Panic');
            assert.match(error.reason ?? '', reason);
          }
        });

        test('decodes a custom error with its arguments', async () => {
          const call = client.readContract({ ...REVERTER, functionName: 'revertCustom', account: ALICE });
          const { data } = await catchCause(call, ContractFunctionRevertedError);
          assert.equal(data?.errorName, 'Refused');
          assert.equal(String(data.args?.[0]).toLowerCase(), ALICE);
          assert.equal(data.args?.[1], REFUSED_CODE);
        });

        test('returns the data of a revert without a reason', async () => {
          const empty = client.readContract({ ...REVERTER, functionName: 'revertEmpty' });
          assert.equal((await catchCause(empty, ContractFunctionRevertedError)).reason, 'execution reverted');
          const raw = client.readContract({ ...REVERTER, functionName: 'revertRaw' });
          assert.equal((await catchCause(raw, ContractFunctionRevertedError)).signature, RAW_REVERT_DATA);
        });

        test('returns the error text of the node for other failures', async () => {
          for (const [functionName, message] of [
            ['invalidOpcode', 'invalid opcode: INVALID'],
            ['badJump', 'invalid jump destination'],
            ['stackUnderflow', 'stack underflow (0 <=> 1)'],
            ['returnDataOutOfBounds', 'return data out of bounds'],
            ['hugeMemory', 'gas uint64 overflow'],
            ['loopForever', 'out of gas'],
          ] as const) {
            const data = encodeFunctionData({ abi: REVERTER.abi, functionName });
            const call = client.call({ to: REVERTER.address, data, gas: 100_000n });
            assert.deepEqual(await catchRpcError(call), [-32000, message]);
          }
          await catchCause(
            client.estimateGas({ account: ALICE, to: BOB, value: TOO_MANY }),
            InsufficientFundsError,
          );
        });

        test('reads transactions by block and index', async () => {
          const blockNumber = BigInt(devnet.everyTypeBlock);
          const types: string[] = [];
          for (let index = 0; index < 5; index++) {
            const transaction = await client.getTransaction({ blockNumber, index });
            assert.equal(transaction.transactionIndex, index);
            assert.equal(transaction.blockNumber, blockNumber);
            types.push(transaction.type);
          }
          assert.deepEqual(types.sort(), ['eip1559', 'eip2930', 'eip4844', 'eip7702', 'legacy']);
          await catchCause(client.getTransaction({ blockNumber, index: 6 }), TransactionNotFoundError);
        });

        test('sends methods without a function of their own', async () => {
          const receipts = await connection.request('eth_getBlockReceipts', [
            `0x${devnet.headNumber.toString(16)}`,
          ]);
          assert.ok(Array.isArray(receipts));
          assert.equal(receipts[0].blockHash, devnet.headHash);
          const place = `0x${devnet.uncleBlock.toString(16)}`;
          const uncle = await connection.request('eth_getUncleByBlockNumberAndIndex', [place, '0x1']);
          assert.equal((uncle as { totalDifficulty: unknown }).totalDifficulty, null);
          assert.equal(
            await connection.request('eth_getUncleByBlockNumberAndIndex', ['latest', '0x0']),
            null,
          );
        });

        test('returns the reason of a refused block parameter', async () => {
          const [code, message] = await catchRpcError(client.getTransaction({ blockTag: 'safe', index: 0 }));
          assert.equal(code, -32602);
          assert.match(message, /"safe" is not supported by this method, use "finalized"/);
        });

        test('reports an unknown method as not found', async () => {
          await catchCause(connection.request('eth_nope'), MethodNotFoundRpcError);
          await catchCause(
            estimateLineaGas(client, { account: ALICE, to: BOB, value: 1n }),
            MethodNotFoundRpcError,
          );
        });

        test('calls the methods of a rollup', async () => {
          const layer2 = connect(services().rollup, transport);
          try {
            const transfer = { account: ALICE, to: BOB, value: 1n } as const;
            const estimate = await estimateLineaGas(layer2.client, transfer);
            assert.equal(estimate.gasLimit, 21_000n);
            assert.equal(estimate.baseFeePerGas, 7n);
            assert.ok(estimate.priorityFeePerGas > 0n);
            const earlier = await estimateLineaGas(layer2.client, { ...transfer, blockNumber: 12n });
            assert.notEqual(earlier.priorityFeePerGas, estimate.priorityFeePerGas);
            const data = encodeFunctionData({ abi: REVERTER.abi, functionName: 'revertString' });
            const failing = estimateLineaGas(layer2.client, {
              account: ALICE,
              to: rollup.reverter as Hex,
              data,
            });
            const { shortMessage } = await catchCause(failing, ExecutionRevertedError);
            assert.ok(shortMessage.includes(REVERT_REASON), shortMessage);
            const call = { from: ALICE, to: BOB, value: '0x1' };
            assert.deepEqual(await layer2.request('l2_estimateGas', [call]), {
              gasLimit: '0x5208',
              baseFeePerGas: '0x7',
              priorityFeePerGas: `0x${estimate.priorityFeePerGas.toString(16)}`,
            });
            const poor = { account: `0x${'aa'.padStart(40, '0')}`, to: BOB, value: 10n ** 18n } as const;
            await catchCause(estimateLineaGas(layer2.client, poor), InsufficientFundsError);
            const stateOverride = [{ address: poor.account, balance: 1_000n * 10n ** 18n }];
            const expected = { baseFeePerGas: 7n, gasLimit: 21_000n, priorityFeePerGas: 0x766ff0cn };
            for (const rest of [{}, { blockTag: 'latest' as const }])
              assert.deepEqual(
                await estimateLineaGas(layer2.client, { ...poor, ...rest, stateOverride }),
                expected,
              );
            const info = (await layer2.request('rollup_getInfo')) as { ethContext: unknown; mode: string };
            assert.equal(info.mode, 'sequencer');
            assert.equal((info.ethContext as { blockNumber: number }).blockNumber, devnet.headNumber);
          } finally {
            await layer2.close();
          }
        });
      });
    }

    test('viem gets an outcome for each call of a batch, up to 1,000 calls', async () => {
      const bodies: string[] = [];
      const { client, request } = connect(services().devnet, 'HTTP', {
        batch: { batchSize: 1_000, wait: 20 },
        onFetchRequest: (_, { body }) => void bodies.push(String(body)),
      });
      const read = { ...TOKEN, functionName: 'balanceOf', args: [ALICE] } as const;
      const reads = Array.from({ length: 996 }, (_, n) =>
        client.readContract({ ...read, blockNumber: BigInt(16 + (n % 40)) }),
      );
      const [name, reverted, receipts, missing, ...balances] = await Promise.allSettled([
        client.readContract({ ...TOKEN, functionName: 'name' }),
        client.readContract({ ...REVERTER, functionName: 'revertCustom' }),
        request('eth_getBlockReceipts', ['0x8']),
        request('eth_nope'),
        ...reads,
      ]);
      assert.deepEqual(name, { status: 'fulfilled', value: 'Portcullis Token' });
      assert.deepEqual(receipts, { status: 'fulfilled', value: [] });
      assert.equal(reverted?.status, 'rejected');
      assert.match(String(reverted.reason), /Refused\(address caller, uint256 code\)/);
      assert.equal(missing?.status, 'rejected');
      assert.ok(missing.reason instanceof MethodNotFoundRpcError);
      assert.equal(new Set(balances.map(({ status }) => status)).size, 1);
      balances.forEach((balance, n) => {
        assert.deepEqual(balance, balances[n % 40]);
      });
      assert.equal(bodies.length, 1);
      assert.equal((JSON.parse(bodies[0] ?? '') as unknown[]).length, 1_000);
    });

    test('viem sends a failing call only once, and reports a wrong key without retries', async () => {
      let requests = 0;
      const options = { onFetchRequest: () => void requests++ };
      const { client, request } = connect(services().devnet, 'HTTP', options);
      await catchCause(
        client.readContract({ ...REVERTER, functionName: 'revertString' }),
        ExecutionRevertedError,
      );
      await catchRpcError(client.readContract({ ...REVERTER, functionName: 'hugeMemory' }));
      await catchRpcError(request('eth_nope'));
      await catchRpcError(request('eth_getBlockReceipts', ['safe']));
      assert.equal(requests, 4);
      const stranger = createPublicClient({
        transport: http(urlOf(services().devnet, 'HTTP', 'wrong'), options),
      });
      assert.deepEqual(await catchRpcError(stranger.getChainId()), [-32600, 'invalid project id']);
      assert.equal(requests, 5);
    });

    test('viem over WebSocket reports the error of a wrong key', async () => {
      const client = createPublicClient({
        transport: webSocket(urlOf(services().devnet, 'WebSocket', 'wrong'), {
          reconnect: false,
          retryCount: 0,
        }),
      });
      await assert.rejects(client.getChainId(), /401/);
    });

    test("viem's keep-alive gets an answer with id null, and the connection stays open", async () => {
      const client = createPublicClient({
        transport: webSocket(urlOf(services().devnet, 'WebSocket'), { keepAlive: { interval: 20 } }),
      });
      const rpc = await client.transport.getRpcClient();
      const answers: string[] = [];
      await new Promise<void>((resolve) => {
        rpc.socket.addEventListener('message', ({ data }) => {
          answers.push(String(data));
          if (answers.length === 3) resolve();
        });
      });
      const answer = `{"jsonrpc":"2.0","id":null,"result":"${devnet.chainId}"}`;
      assert.deepEqual(answers.slice(0, 3), [answer, answer, answer]);
      assert.equal(await client.getChainId(), devnet.chainId);
      rpc.close();
    });
  });
}

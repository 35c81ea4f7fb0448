/** web3.js v4, unmodified and with its default settings. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseAbi } from 'viem';
import {
  type ContractAbi,
  ContractExecutionError,
  type Eip838ExecutionError,
  InvalidResponseError,
  ResponseError,
  Web3,
  WebSocketProvider,
} from 'web3';
import { selectorOf } from '../../scripts/contracts/abi.ts';
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

const { devnet } = FACTS;
const [ALICE, BOB] = [addressOf('alice'), addressOf('bob')];
/** More tokens than exist. */
const TOO_MANY = 10n ** 40n;

type CallOptions = { readonly from?: string; readonly gas?: string };

type ContractMethod = {
  call(options?: CallOptions, block?: string | number): Promise<unknown>;
  estimateGas(options?: CallOptions): Promise<unknown>;
};

type Invoke = (name: string, ...args: readonly unknown[]) => ContractMethod;

/** Calls contract methods by names known only at run time, without web3's types, which come from the ABI. */
function createInvoke({ eth }: Web3, abi: readonly string[], address: string): Invoke {
  const fragments = parseAbi(abi) as unknown as ContractAbi;
  const methods = new eth.Contract(fragments, address).methods as unknown as Readonly<
    Record<string, (...args: readonly unknown[]) => ContractMethod>
  >;
  return (name, ...args) => {
    const method = methods[name];
    if (method === undefined) throw new Error(`the contract has no ${name}`);
    return method(...args);
  };
}

function connect(service: RunningService, transport: Transport) {
  const web3 = new Web3(urlOf(service, transport));
  return {
    web3,
    token: createInvoke(web3, ERC20_ABI, devnet.erc20),
    reverter: createInvoke(web3, REVERTER_ABI, devnet.reverter),
    send: (method: string, ...params: unknown[]): Promise<unknown> =>
      web3.eth.requestManager.send({ method, params } as never),
    close(): void {
      if (transport === 'WebSocket') web3.currentProvider?.disconnect();
    },
  };
}

async function catchError(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => assert.fail('it succeeded'),
    (error: unknown) => error,
  );
}

/** Returns the revert as web3 decoded it. */
async function catchRevert(call: Promise<unknown>): Promise<Eip838ExecutionError> {
  const error = await catchError(call);
  assert.ok(error instanceof ContractExecutionError, String(error));
  return error.cause as Eip838ExecutionError;
}

/** Returns code and message of the error on the wire. */
async function catchRpcError(call: Promise<unknown>): Promise<readonly [number, string]> {
  const error = await catchError(call);
  assert.ok(error instanceof InvalidResponseError, String(error));
  const { code, message } = error.cause as unknown as { code: number; message: string };
  return [code, message];
}

for (const source of SOURCES) {
  describe(`web3 on ${source} networks`, () => {
    const services = useNetworks(source);

    for (const transport of TRANSPORTS) {
      describe(`web3 over ${transport}`, () => {
        let client: ReturnType<typeof connect>;

        before(() => {
          client = connect(services().devnet, transport);
        });
        after(() => client.close());

        test('reads the chain id, the client and the block number', async () => {
          const { eth } = client.web3;
          assert.equal(await eth.getChainId(), BigInt(devnet.chainId));
          assert.equal(await eth.net.getId(), BigInt(devnet.chainId));
          assert.equal(await eth.getBlockNumber(), BigInt(devnet.headNumber));
          assert.match(await eth.getNodeInfo(), /^portcullis\/\d/);
        });

        test('reads a contract in the current and past state', async () => {
          assert.equal(await client.token('name').call(), 'Portcullis Token');
          const balance = await client.token('balanceOf', ALICE).call();
          for (const block of ['safe', 'finalized', 'pending', devnet.headNumber]) {
            assert.equal(await client.token('balanceOf', ALICE).call(undefined, block), balance);
          }
          const earlier = await client.token('balanceOf', ALICE).call(undefined, 20);
          assert.ok(typeof earlier === 'bigint' && earlier > 0n && earlier !== balance);
        });

        test('simulates a transaction and estimates it', async () => {
          assert.equal(await client.token('transfer', BOB, 5n).call({ from: ALICE }), true);
          const gas = await client.token('transfer', BOB, 5n).estimateGas({ from: ALICE });
          assert.ok(typeof gas === 'bigint' && gas > 21_000n && gas < 60_000n, String(gas));
          assert.equal(await client.web3.eth.estimateGas({ from: ALICE, to: BOB, value: 1 }), 21_000n);
        });

        test('decodes Error(string) to its reason', async () => {
          for (const name of ['revertString', 'revertNested']) {
            const { message, errorName, errorArgs } = await catchRevert(client.reverter(name).call());
            assert.equal(message, `execution reverted: ${REVERT_REASON}`);
            assert.equal(errorName, 'Error');
            assert.equal(errorArgs?.['message'], REVERT_REASON);
          }
          const { message } = await catchRevert(
            client.token('transfer', BOB, TOO_MANY).estimateGas({ from: ALICE }),
          );
          assert.equal(message, 'execution reverted: ERC20: transfer amount exceeds balance');
        });

        test('names Panic(uint256)', async () => {
          for (const [name, code] of [
            ['panicAssert', 0x01n],
            ['panicOverflow', 0x11n],
            ['panicDivision', 0x12n],
          ] as const) {
            const { errorName, errorArgs } = await catchRevert(client.reverter(name).call());
            assert.equal(errorName, 'Panic');
            assert.equal(errorArgs?.['code'], code);
          }
        });

        test('decodes a custom error with its arguments', async () => {
          const { errorName, errorArgs } = await catchRevert(
            client.reverter('revertCustom').call({ from: ALICE }),
          );
          assert.equal(errorName, 'Refused');
          assert.equal(String(errorArgs?.['caller']).toLowerCase(), ALICE);
          assert.equal(errorArgs?.['code'], REFUSED_CODE);
        });

        test('returns the data of a revert without a reason', async () => {
          for (const [signature, data] of [
            ['revertEmpty()', '0x'],
            ['revertRaw()', RAW_REVERT_DATA],
          ] as const) {
            const call = client.web3.eth.call({ to: devnet.reverter, data: selectorOf(signature) });
            assert.equal((await catchRevert(call)).data, data);
          }
        });

        test('returns the error text of the node for other failures', async () => {
          const gas = '100000';
          for (const [name, message] of [
            ['invalidOpcode', 'invalid opcode: INVALID'],
            ['badJump', 'invalid jump destination'],
            ['stackUnderflow', 'stack underflow (0 <=> 1)'],
            ['returnDataOutOfBounds', 'return data out of bounds'],
            ['hugeMemory', 'gas uint64 overflow'],
            ['loopForever', 'out of gas'],
          ] as const) {
            assert.deepEqual(await catchRpcError(client.reverter(name).call({ gas })), [-32000, message]);
          }
        });

        test('reads transactions and uncles by block and index', async () => {
          const { eth } = client.web3;
          const types = new Set<bigint>();
          for (let index = 0; index < 5; index++) {
            const transaction = await eth.getTransactionFromBlock(devnet.everyTypeBlock, index);
            assert.equal(transaction?.transactionIndex, BigInt(index));
            types.add(BigInt(transaction.type));
          }
          assert.deepEqual([...types].sort(), [0n, 1n, 2n, 3n, 4n]);
          assert.equal(await eth.getTransactionFromBlock(devnet.everyTypeBlock, 50), null);
          const uncle = await eth.getUncle(devnet.uncleBlock, 0);
          assert.ok(BigInt(uncle.number) < BigInt(devnet.uncleBlock));
          assert.deepEqual(uncle.uncles, []);
          assert.equal(await eth.getUncle(devnet.mergeBlock, 0), null);
        });

        test('sends methods without a function of their own', async () => {
          const receipts = await client.send('eth_getBlockReceipts', 'latest');
          assert.ok(Array.isArray(receipts));
          assert.equal(receipts[0].blockHash, devnet.headHash);
        });

        test('returns the reason of refused parameters and methods', async () => {
          const [code, message] = await catchRpcError(client.web3.eth.getTransactionFromBlock('safe', 0));
          assert.equal(code, -32602);
          assert.match(message, /"safe" is not supported by this method, use "finalized"/);
          assert.equal((await catchRpcError(client.send('eth_nope')))[0], -32601);
          assert.equal((await catchRpcError(client.send('rollup_getInfo')))[0], -32601);
        });

        test('gets an outcome for each call of a batch', async () => {
          const batch = new client.web3.BatchRequest();
          const call = { to: devnet.erc20, data: selectorOf('decimals()') };
          const items = [
            { method: 'eth_call', params: [call, 'latest'] },
            { method: 'eth_call', params: [devnet.calls.revert, 'latest'] },
            { method: 'eth_getBlockReceipts', params: ['0x8'] },
            { method: 'eth_nope', params: [] },
          ].map((request) => batch.add(request as never));
          const completed = Promise.allSettled(items);
          await batch.execute();
          const outcomes = (await completed).map((one) =>
            one.status === 'fulfilled' ? one.value : one.reason,
          );
          assert.equal(BigInt(outcomes[0] as string), 18n);
          assert.equal(outcomes[1].code, 3);
          assert.deepEqual(outcomes[2], []);
          assert.equal(outcomes[3].code, -32601);
        });

        test('calls the methods of a rollup', async () => {
          const layer2 = connect(services().rollup, transport);
          try {
            const call = { from: ALICE, to: BOB, value: '0x1' };
            const estimate = (await layer2.send('linea_estimateGas', call)) as { gasLimit: string };
            assert.equal(estimate.gasLimit, '0x5208');
            assert.deepEqual(await layer2.send('l2_estimateGas', call), estimate);
            const info = (await layer2.send('rollup_getInfo')) as { ethContext: { blockNumber: number } };
            assert.equal(info.ethContext.blockNumber, devnet.headNumber);
          } finally {
            layer2.close();
          }
        });
      });
    }

    test('web3 reports the error of a wrong key', async () => {
      const overHttp = new Web3(urlOf(services().devnet, 'HTTP', 'wrong'));
      const error = await catchError(overHttp.eth.getChainId());
      assert.ok(error instanceof ResponseError);
      assert.equal((error.cause as unknown as Error).message, 'invalid project id');
      const provider = new WebSocketProvider(
        urlOf(services().devnet, 'WebSocket', 'wrong'),
        {},
        { autoReconnect: false },
      );
      const message = await new Promise<string>((resolve) => {
        provider.on('error', (event: unknown) => resolve((event as Error).message));
      });
      assert.match(message, /401/);
    });
  });
}

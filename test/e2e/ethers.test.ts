/** ethers v6, unmodified and with its default settings unless a test says otherwise. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type CallExceptionError,
  Contract,
  type ErrorCode,
  type EthersError,
  isCallException,
  isError,
  JsonRpcProvider,
  WebSocketProvider,
} from 'ethers';
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
const ZERO_ADDRESS = `0x${'00'.repeat(20)}`;
/** More tokens than exist. */
const TOO_MANY = 10n ** 40n;

type Provider = JsonRpcProvider | WebSocketProvider;

function connect(service: RunningService, transport: Transport): Provider {
  const url = urlOf(service, transport);
  return transport === 'HTTP' ? new JsonRpcProvider(url) : new WebSocketProvider(url);
}

/** Calls a contract function whose name is known only at run time. */
function callFunction(contract: Contract, name: string, ...args: unknown[]): Promise<unknown> {
  return contract.getFunction(name).staticCall(...args);
}

async function catchCallException(call: Promise<unknown>): Promise<CallExceptionError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(isCallException(error), String(error));
  return error;
}

/** Returns the JSON-RPC error that ethers wraps. */
function rpcErrorOf(error: EthersError): { readonly code: number; readonly message: string } {
  return (error as EthersError & { error: { code: number; message: string } }).error;
}

async function rejectsWith(call: Promise<unknown>, code: ErrorCode): Promise<EthersError> {
  let caught: unknown;
  await assert.rejects(call, (error) => {
    caught = error;
    return isError(error, code);
  });
  return caught as EthersError;
}

for (const source of SOURCES) {
  describe(`ethers on ${source} networks`, () => {
    const services = useNetworks(source);

    for (const transport of TRANSPORTS) {
      describe(`ethers over ${transport}`, () => {
        let provider: Provider;
        let token: Contract;
        let reverter: Contract;

        before(() => {
          provider = connect(services().devnet, transport);
          token = new Contract(devnet.erc20, ERC20_ABI, provider);
          reverter = new Contract(devnet.reverter, REVERTER_ABI, provider);
        });
        after(() => provider.destroy());

        test('reads the chain id and the block number', async () => {
          assert.equal((await provider.getNetwork()).chainId, BigInt(devnet.chainId));
          assert.equal(await provider.getBlockNumber(), devnet.headNumber);
        });

        test('reads a contract in the current and past state', async () => {
          assert.equal(await callFunction(token, 'name'), 'Portcullis Token');
          assert.equal(await callFunction(token, 'decimals'), 18n);
          const balance = await callFunction(token, 'balanceOf', ALICE);
          for (const blockTag of ['latest', 'safe', 'finalized', 'pending', devnet.headNumber]) {
            assert.equal(await callFunction(token, 'balanceOf', ALICE, { blockTag }), balance);
          }
          const before = await callFunction(token, 'balanceOf', ALICE, { blockTag: 20 });
          assert.ok(typeof before === 'bigint' && before > 0n && before !== balance);
        });

        test('simulates a transaction and estimates it', async () => {
          assert.equal(await callFunction(token, 'transfer', BOB, 5n, { from: ALICE }), true);
          const gas = await token.getFunction('transfer').estimateGas(BOB, 5n, { from: ALICE });
          assert.ok(gas > 21_000n && gas < 60_000n, String(gas));
          assert.equal(await provider.estimateGas({ from: ALICE, to: BOB, value: 1n }), 21_000n);
        });

        test('decodes Error(string) to its reason', async () => {
          for (const name of ['revertString', 'revertNested']) {
            const error = await catchCallException(callFunction(reverter, name));
            assert.equal(error.reason, REVERT_REASON);
            assert.deepEqual([...(error.revert?.args ?? [])], [REVERT_REASON]);
          }
          const error = await catchCallException(
            token.getFunction('transfer').estimateGas(BOB, TOO_MANY, { from: ALICE }),
          );
          assert.equal(error.action, 'estimateGas');
          assert.equal(error.reason, 'ERC20: transfer amount exceeds balance');
        });

        test('names Panic(uint256)', async () => {
          for (const [name, reason] of [
            ['panicAssert', 'Panic due to ASSERT_FALSE(1)'],
            ['panicOverflow', 'Panic due to OVERFLOW(17)'],
            ['panicDivision', 'Panic due to DIVIDE_BY_ZERO(18)'],
          ] as const) {
            const error = await catchCallException(callFunction(reverter, name));
            assert.equal(error.reason, reason);
            assert.equal(error.revert?.name, 'Panic');
          }
        });

        test('decodes a custom error with its arguments', async () => {
          for (const [overrides, caller] of [
            [{}, ZERO_ADDRESS],
            [{ from: ALICE }, ALICE],
          ] as const) {
            const { revert } = await catchCallException(callFunction(reverter, 'revertCustom', overrides));
            assert.equal(revert?.name, 'Refused');
            assert.equal(String(revert.args[0]).toLowerCase(), caller);
            assert.equal(revert.args[1], REFUSED_CODE);
          }
        });

        test('returns the data of a revert without a reason', async () => {
          assert.equal((await catchCallException(callFunction(reverter, 'revertEmpty'))).data, '0x');
          assert.equal((await catchCallException(callFunction(reverter, 'revertRaw'))).data, RAW_REVERT_DATA);
        });

        test('returns the error text of the node for other failures', async () => {
          for (const [name, message] of [
            ['invalidOpcode', 'invalid opcode: INVALID'],
            ['badJump', 'invalid jump destination'],
            ['stackUnderflow', 'stack underflow (0 <=> 1)'],
            ['returnDataOutOfBounds', 'return data out of bounds'],
            ['hugeMemory', 'gas uint64 overflow'],
            ['loopForever', 'out of gas'],
          ] as const) {
            const error = await catchCallException(callFunction(reverter, name, { gasLimit: 100_000n }));
            assert.equal(error.data, null);
            assert.deepEqual(error.info?.['error'], { code: -32000, message });
          }
          const error = await rejectsWith(
            provider.estimateGas({ from: ALICE, to: BOB, value: TOO_MANY }),
            'INSUFFICIENT_FUNDS',
          );
          assert.match(JSON.stringify(error.info), /insufficient funds/);
        });

        test('sends methods without a function of their own', async () => {
          const receipts = await provider.send('eth_getBlockReceipts', ['latest']);
          assert.equal(receipts[0].blockHash, devnet.headHash);
          assert.deepEqual(await provider.send('eth_getBlockReceipts', ['0x8']), []);
          assert.equal(await provider.send('eth_getBlockReceipts', ['0xffff']), null);
          const transaction = await provider.send('eth_getTransactionByBlockNumberAndIndex', [
            'latest',
            '0x0',
          ]);
          assert.equal(transaction.hash, receipts[0].transactionHash);
          const place = `0x${devnet.uncleBlock.toString(16)}`;
          const uncle = await provider.send('eth_getUncleByBlockNumberAndIndex', [place, '0x0']);
          assert.ok(BigInt(uncle.number) < BigInt(devnet.uncleBlock));
          assert.deepEqual(uncle.uncles, []);
          assert.equal(await provider.send('eth_getUncleByBlockNumberAndIndex', ['latest', '0x0']), null);
        });

        test('returns the reason of a refused block parameter', async () => {
          const safe = await rejectsWith(provider.send('eth_getBlockReceipts', ['safe']), 'UNKNOWN_ERROR');
          assert.equal(rpcErrorOf(safe).code, -32602);
          assert.match(rpcErrorOf(safe).message, /"safe" is not supported by this method, use "finalized"/);
        });

        test('reports an unknown method as an unsupported operation', async () => {
          await rejectsWith(provider.send('eth_nope', []), 'UNSUPPORTED_OPERATION');
          await rejectsWith(provider.send('rollup_getInfo', []), 'UNSUPPORTED_OPERATION');
        });

        test('gets the right answer for each of many concurrent requests', async () => {
          const completed = await Promise.allSettled([
            callFunction(token, 'name'),
            callFunction(reverter, 'revertString'),
            provider.send('eth_getBlockReceipts', ['0x8']),
            callFunction(reverter, 'panicAssert'),
            provider.send('eth_nope', []),
            ...Array.from({ length: 150 }, (_, n) =>
              callFunction(token, 'balanceOf', ALICE, { blockTag: 16 + (n % 40) }),
            ),
            provider.send('eth_chainId', []),
          ]);
          const outcomes = completed.map((one) => (one.status === 'fulfilled' ? one.value : one.reason));
          assert.equal(outcomes[0], 'Portcullis Token');
          assert.equal(outcomes[1].reason, REVERT_REASON);
          assert.deepEqual(outcomes[2], []);
          assert.equal(outcomes[3].reason, 'Panic due to ASSERT_FALSE(1)');
          assert.equal(outcomes[4].code, 'UNSUPPORTED_OPERATION');
          for (let n = 0; n < 150; n++) assert.equal(outcomes[5 + n], outcomes[5 + (n % 40)]);
          assert.equal(outcomes.at(-1), `0x${devnet.chainId.toString(16)}`);
        });

        test('calls the methods of a rollup', async () => {
          const layer2 = connect(services().rollup, transport);
          try {
            const call = { from: ALICE, to: BOB, value: '0x1' };
            const estimate = await layer2.send('linea_estimateGas', [call]);
            assert.equal(estimate.gasLimit, '0x5208');
            assert.equal(estimate.baseFeePerGas, '0x7');
            assert.ok(BigInt(estimate.priorityFeePerGas) > 0n);
            assert.deepEqual(await layer2.send('l2_estimateGas', [call, 'latest']), estimate);
            const info = await layer2.send('rollup_getInfo', []);
            assert.equal(info.ethContext.blockNumber, devnet.headNumber);
            assert.equal(info.rollupContext.queueIndex, rollup.lastAnchoredL1MessageNumber);
            const calls = new Contract(rollup.reverter, REVERTER_ABI, layer2);
            const error = await catchCallException(callFunction(calls, 'revertString'));
            assert.equal(error.reason, REVERT_REASON);
          } finally {
            await layer2.destroy();
          }
        });
      });
    }

    test('ethers sends a failing call only once', async () => {
      const provider = new JsonRpcProvider(urlOf(services().devnet, 'HTTP'), devnet.chainId, {
        staticNetwork: true,
      });
      const sent: string[] = [];
      await provider.on('debug', ({ action, payload }) => {
        if (action === 'sendRpcPayload') for (const { method } of [payload].flat()) sent.push(method);
      });
      const reverter = new Contract(devnet.reverter, REVERTER_ABI, provider);
      for (const name of ['revertString', 'hugeMemory'])
        await catchCallException(callFunction(reverter, name));
      assert.deepEqual(sent, ['eth_call', 'eth_call']);
      await provider.destroy();
    });

    /** Without `staticNetwork` ethers retries network detection every second, and reports no error. */
    test('ethers reports the error of a wrong key', async () => {
      const provider = new JsonRpcProvider(urlOf(services().devnet, 'HTTP', 'wrong'), devnet.chainId, {
        staticNetwork: true,
      });
      const error = await rejectsWith(provider.getBlockNumber(), 'SERVER_ERROR');
      assert.match(error.shortMessage, /401/);
      assert.match(String(error.info?.['responseBody']), /invalid project id/);
      await provider.destroy();
    });

    test('ethers over WebSocket reports the error of a wrong key', async () => {
      const provider = new WebSocketProvider(urlOf(services().devnet, 'WebSocket', 'wrong'), devnet.chainId);
      const message = await new Promise<string>((resolve) => {
        provider.websocket.onerror = (event: { message: string }) => resolve(event.message);
      });
      assert.match(message, /401/);
      await provider.destroy();
    });
  });
}

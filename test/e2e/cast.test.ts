/** Foundry's cast, unmodified. Its npm wrapper always exits with 0; errors are on stderr. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { REVERT_REASON } from '../../scripts/contracts/reverter.ts';
import { addressOf, FACTS, SOURCES, TRANSPORTS, urlOf, useNetworks } from '../support/development.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';

const CAST = fileURLToPath(import.meta.resolve('@foundry-rs/cast/bin.mjs'));
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const isAvailable = /^cast Version/m.test(
  spawnSync(process.execPath, [CAST, '--version'], { encoding: 'utf8' }).stdout ?? '',
);
const SKIP_REASON = 'the package @foundry-rs/cast has no program that runs on this machine';
const { devnet, rollup } = FACTS;
const [ALICE, BOB] = [addressOf('alice'), addressOf('bob')];

const home = makeTemporaryFolder();
after(() => home.remove());
for (const source of SOURCES) {
  describe(`cast on ${source} networks`, () => {
    let services: ReturnType<typeof useNetworks>;
    type Output = { readonly stdout: string; readonly stderr: string };

    function run(url: string, ...args: readonly string[]): Promise<Output> {
      const environment = { PATH: process.env['PATH'], HOME: home.path, NO_COLOR: '1', ETH_RPC_URL: url };
      return promisify(execFile)(process.execPath, [CAST, ...args], {
        cwd: home.path,
        env: environment,
        encoding: 'utf8',
        maxBuffer: MAX_OUTPUT_BYTES,
      });
    }

    /** Runs cast on the network. @returns stdout */
    async function cast(network: 'devnet' | 'rollup', ...args: readonly string[]): Promise<string> {
      const { stdout, stderr } = await run(urlOf(services()[network], 'HTTP'), ...args);
      assert.equal(stderr, '', args.join(' '));
      return stdout.trim();
    }

    /** Runs a failing command of cast on the development network. @returns stderr */
    async function castFailing(...args: readonly string[]): Promise<string> {
      const { stdout, stderr } = await run(urlOf(services().devnet, 'HTTP'), ...args);
      assert.equal(stdout, '', args.join(' '));
      return stderr.trim();
    }

    describe('commands of cast', { skip: !isAvailable && SKIP_REASON }, () => {
      services = useNetworks(source);

      test('cast reads the chain id, the block number and the client', async () => {
        for (const transport of TRANSPORTS) {
          const url = urlOf(services().devnet, transport);
          assert.equal((await run(url, 'chain-id')).stdout.trim(), String(devnet.chainId));
          assert.equal((await run(url, 'block-number')).stdout.trim(), String(devnet.headNumber));
        }
        assert.match(await cast('devnet', 'client'), /^portcullis\/\d/);
      });

      test('cast call reads the current and past state over both transports', async () => {
        for (const transport of TRANSPORTS) {
          const { stdout } = await run(
            urlOf(services().devnet, transport),
            'call',
            devnet.erc20,
            'name()(string)',
          );
          assert.equal(stdout.trim(), '"Portcullis Token"');
        }
        const balance = ['call', devnet.erc20, 'balanceOf(address)(uint256)', ALICE];
        const latest = await cast('devnet', ...balance);
        assert.match(latest, /^\d{20,} \[/);
        assert.equal(await cast('devnet', ...balance, '--block', 'safe'), latest);
        assert.equal(await cast('devnet', ...balance, '--block', String(devnet.headNumber)), latest);
        assert.notEqual(await cast('devnet', ...balance, '--block', '20'), latest);
      });

      test('cast estimate returns plausible gas', async () => {
        const gas = Number(
          await cast(
            'devnet',
            'estimate',
            devnet.erc20,
            'transfer(address,uint256)',
            BOB,
            '5',
            '--from',
            ALICE,
          ),
        );
        assert.ok(gas > 21_000 && gas < 60_000, String(gas));
        assert.equal(await cast('devnet', 'estimate', BOB, '--value', '1', '--from', ALICE), '21000');
      });

      test('cast nonce counts sent transactions', async () => {
        const counts = [];
        for (const block of ['earliest', '40', String(devnet.headNumber), 'latest', 'pending']) {
          counts.push(Number(await cast('devnet', 'nonce', ALICE, '--block', block)));
        }
        const [earliest, middle, head, latest, pending] = counts as [number, number, number, number, number];
        assert.equal(earliest, 0);
        assert.ok(middle > 0 && middle < head, counts.join(' '));
        assert.deepEqual([latest, pending], [head, head]);
      });

      test('cast shows the reason of a revert', async () => {
        for (const [signature, reason] of [
          ['revertString()', `execution reverted: ${REVERT_REASON}, data: "0x08c379a0`],
          ['revertNested()', `execution reverted: ${REVERT_REASON}, data: "0x08c379a0`],
          ['panicOverflow()', 'execution reverted: arithmetic underflow or overflow, data: "0x4e487b71'],
          ['revertCustom()', 'execution reverted, data: "0xc246547f'],
          ['revertEmpty()', 'execution reverted, data: "0x"'],
          ['revertRaw()', 'execution reverted, data: "0xc0ffee"'],
        ] as const) {
          const complaint = await castFailing('call', devnet.reverter, signature);
          assert.ok(complaint.includes(`error code 3: ${reason}`), complaint);
        }
        const complaint = await castFailing(
          ...[
            'estimate',
            devnet.erc20,
            'transfer(address,uint256)',
            BOB,
            String(10n ** 40n),
            '--from',
            ALICE,
          ],
        );
        assert.ok(
          complaint.includes('execution reverted: ERC20: transfer amount exceeds balance'),
          complaint,
        );
      });

      test('cast shows other errors of the node', async () => {
        for (const [signature, message] of [
          ['badJump()', 'invalid jump destination'],
          ['loopForever()', 'out of gas'],
        ] as const) {
          const complaint = await castFailing('call', devnet.reverter, signature, '--gas-limit', '100000');
          assert.ok(complaint.endsWith(`error code -32000: ${message}`), complaint);
        }
        assert.match(
          await castFailing('rpc', 'eth_nope'),
          /error code -32601: the method eth_nope does not exist/,
        );
        assert.match(
          await castFailing('rpc', 'eth_getBlockReceipts', 'safe'),
          /error code -32602: .*"finalized"/,
        );
        const { stderr } = await run(urlOf(services().devnet, 'HTTP', 'wrong'), 'chain-id');
        assert.match(stderr, /HTTP error 401 with body: .*invalid project id/);
      });

      test('cast rpc sends other methods', async () => {
        const place = `0x${devnet.uncleBlock.toString(16)}`;
        const receipts = JSON.parse(await cast('devnet', 'rpc', 'eth_getBlockReceipts', 'latest'));
        assert.equal(receipts[0].blockHash, devnet.headHash);
        const transaction = JSON.parse(
          await cast('devnet', 'rpc', 'eth_getTransactionByBlockNumberAndIndex', 'latest', '0x0'),
        );
        assert.equal(transaction.hash, receipts[0].transactionHash);
        const uncle = JSON.parse(
          await cast('devnet', 'rpc', 'eth_getUncleByBlockNumberAndIndex', place, '0x0'),
        );
        assert.deepEqual(uncle.uncles, []);
        assert.equal(
          await cast('devnet', 'rpc', 'eth_getUncleByBlockNumberAndIndex', 'latest', '0x0'),
          'null',
        );
        const call = JSON.stringify(rollup.calls.tokenTransfer);
        const estimate = JSON.parse(await cast('rollup', 'rpc', 'linea_estimateGas', call));
        assert.equal(estimate.baseFeePerGas, '0x7');
        assert.deepEqual(JSON.parse(await cast('rollup', 'rpc', 'l2_estimateGas', call)), estimate);
        const info = JSON.parse(await cast('rollup', 'rpc', 'rollup_getInfo'));
        assert.equal(info.ethContext.blockNumber, devnet.headNumber);
      });
    });
  });
}

/** Runs the code that the console copies against the devnet, with the key filled in. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../../../scripts/program-files.ts';
import type { ContractInterface } from '../../../src/admin/page/console/abi/contract-interface.ts';
import { encodeFunctionCall } from '../../../src/admin/page/console/abi/known-interfaces.ts';
import { parseInterface } from '../../../src/admin/page/console/abi/parse-interface.ts';
import { readStandardInterface } from '../../../src/admin/page/console/abi/standard-interfaces.ts';
import type { CodeCall } from '../../../src/admin/page/console/code/code-call.ts';
import { formatEthersCode } from '../../../src/admin/page/console/code/ethers-code.ts';
import { findFunctionCall } from '../../../src/admin/page/console/code/function-call.ts';
import { formatViemCode } from '../../../src/admin/page/console/code/viem-code.ts';
import { addressOf, FACTS } from '../../support/development.ts';
import { useDevnetNode } from '../../support/devnet-node.ts';

const { erc20, callenv, calls } = FACTS.devnet;
/** Time limit, ms: longer than a busy machine stalls. */
const PATIENCE_MS = 60_000;

/** A function with a tuple and an array, which no contract has: the call returns what the fallback of the contract returns. */
const TUPLES = parseInterface('f((address who, uint256[] amounts, bool) one, bytes2[2] two)(uint256)');
const tupleItem = TUPLES.functions[0];
const tupleData =
  tupleItem &&
  encodeFunctionCall(tupleItem, [
    [erc20, [1n, 2n ** 200n], true],
    ['0x1234', '0xffff'],
  ]);

const REQUESTS: readonly {
  readonly name: string;
  readonly method: string;
  readonly params: readonly unknown[];
  readonly chosen?: ContractInterface;
  /** Text that the code prints; undefined if it must fail with a revert. */
  readonly printed: RegExp;
}[] = [
  {
    name: 'a call of a known function',
    method: 'eth_call',
    params: [{ from: addressOf('bob'), to: erc20, data: calls.tokenBalance.data }, '0x47'],
    chosen: readStandardInterface('ERC-20'),
    printed: /^9931000000000000000000n\n$/,
  },
  {
    name: 'a call with raw data',
    method: 'eth_call',
    params: [calls.tokenBalance, 'latest'],
    printed: /^0x[0-9a-f]{64}\n$/,
  },
  { name: 'a request without parameters', method: 'eth_chainId', params: [], printed: /^0x1ca9\n$/ },
  {
    name: 'a request with an object',
    method: 'eth_getLogs',
    params: [{ fromBlock: '0x20', toBlock: '0x20', address: erc20 }],
    printed: /blockNumber: '0x20'/,
  },
];

describe('copied code', () => {
  const node = useDevnetNode();
  // The folder is inside of the repository, so that the code finds the packages.
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(ROOT, 'build/copied-code-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const request = ({ method, params, chosen }: (typeof REQUESTS)[number]): CodeCall => ({
    scheme: 'http',
    authority: new URL(node.url).host,
    network: { name: 'devnet', host: 'localhost' },
    method,
    params,
    credentials: {},
    call: findFunctionCall(method, params, chosen),
  });

  const run = async (name: string, code: string): Promise<string> => {
    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, code.replaceAll('YOUR_KEY', 'demo'));
    const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: PATIENCE_MS });
    return stdout;
  };

  for (const [library, format] of [
    ['viem', formatViemCode],
    ['ethers', formatEthersCode],
  ] as const) {
    for (const [i, one] of REQUESTS.entries()) {
      test(`${one.name}, with ${library}`, async () => {
        assert.match(await run(`${library}-${i}`, format(request(one))), one.printed);
      });
    }

    test(`arguments of every kind, with ${library}`, async () => {
      const params = [{ to: callenv, data: tupleData }, 'latest'];
      const code = format(request({ name: '', method: 'eth_call', params, chosen: TUPLES, printed: /./ }));
      // The library encodes the arguments to the calldata of the request before the contract refuses them.
      const failed = await run(`${library}-tuple`, `${code}\n`).then(
        () => undefined,
        (error: { stderr: string }) => error.stderr,
      );
      assert.ok(failed?.includes(tupleData?.slice(2) ?? 'no data'), failed);
    });
  }

  test('credentials are placeholders', async () => {
    const credentials = { secret: 'sesame', token: 'a.b.c' };
    for (const format of [formatViemCode, formatEthersCode]) {
      const code = format({ ...request(REQUESTS[2] as (typeof REQUESTS)[number]), credentials });
      assert.doesNotMatch(code, /sesame|a\.b\.c/);
      assert.match(code, /YOUR_SECRET[\s\S]*YOUR_TOKEN/);
      assert.match(await run('credentials', code), /0x1ca9/);
    }
  });
});

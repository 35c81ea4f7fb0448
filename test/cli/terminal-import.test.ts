/** Imports in a terminal, which `script` (util-linux) simulates. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { encodeBlock } from '../../packages/ethereum/codecs/block.ts';
import { concatBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { MAIN, ROOT } from '../../scripts/program-files.ts';
import { openChainReader } from '../../src/chains/embedded/store/chain-reader.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { createGenesis } from '../support/test-chain.ts';

const HAS_SCRIPT = spawnSync('script', ['--version']).status === 0;
const SKIP: string | false = !HAS_SCRIPT && 'this machine has no script (util-linux)';
const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const BLOCKS = 400;
/** The chain imports too quickly to be interrupted, so the file repeats it; after the first time its blocks are already known. */
const REPEATS = 40;

type Session = { readonly code: number | null; readonly screen: string };

/** Runs the program in a terminal. @param onScreen called with the whole output whenever there is more; it may type */
async function runInTerminal(
  args: readonly string[],
  folder: string,
  onScreen: (screen: string, type: (keys: string) => void) => void = () => {},
): Promise<Session> {
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], TERM: 'xterm', SHELL: '/bin/sh', PORTCULLIS_PORT: '0' },
  });
  let screen = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    screen += chunk;
    onScreen(screen, (keys) => child.stdin.write(keys));
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, screen };
}

function assertRestored(screen: string): void {
  assert.ok(screen.includes(HIDE_CURSOR), 'the cursor was hidden');
  assert.ok(
    screen.lastIndexOf(SHOW_CURSOR) > screen.lastIndexOf(HIDE_CURSOR),
    JSON.stringify(screen.slice(-500)),
  );
  assert.doesNotMatch(screen, /NaN|Infinity|LL|NF|undefined/);
}

describe('import in a terminal', { skip: SKIP }, () => {
  const folder = makeTemporaryFolder();
  const [genesis, blocks] = [join(folder.path, 'genesis.json'), join(folder.path, 'chain.rlp')];
  const argsFor = (command: string, data: string): string[] => [
    ...[command, '--genesis', genesis, '--blocks', blocks, '--data', join(folder.path, data)],
  ];

  before(async () => {
    const genesisText = createGenesis({ revision: 'cancun' });
    const builder = new ChainBuilder(genesisText);
    for (let i = 0; i < BLOCKS; i++) await builder.add({});
    writeFileSync(genesis, genesisText);
    const all = concatBytes(encodeBlock(builder.genesisBlock), builder.encode());
    writeFileSync(blocks, concatBytes(...Array.from({ length: REPEATS }, () => all)));
  });
  after(() => folder.remove());

  async function readHead(store: string): Promise<number> {
    const reader = openChainReader(join(folder.path, store));
    const { number } = reader.head.header;
    await reader.close();
    return Number(number);
  }

  for (const [command, store] of [
    ['import', 'a'],
    ['dev', 'b/chain'],
  ] as const) {
    const data = store.split('/')[0] as string;
    test(`Ctrl-C stops ${command} and restores the terminal, and the next run continues`, async () => {
      let isTyped = false;
      const { code, screen } = await runInTerminal(argsFor(command, data), folder.path, (shown, type) => {
        if (isTyped || !shown.includes(HIDE_CURSOR)) return;
        isTyped = true;
        type('\x03');
      });
      assert.equal(code, 130, screen);
      assertRestored(screen);
      const stopped =
        /stopped by a signal: (\d+) blocks? of this run stored, head is block (\d+) 0x\w{64}; run the same command again to continue\r?\n/;
      const [, cached, head] = stopped.exec(screen) ?? [];
      assert.ok(cached !== undefined && cached === head, screen);
      assert.equal(await readHead(store), Number(head));

      const { code: end, stdout } = spawnImport(argsFor('import', store));
      assert.equal(end, 0);
      assert.match(
        stdout,
        new RegExp(`^imported ${BLOCKS - Number(cached)} blocks; head is block ${BLOCKS} `),
      );
    });
  }

  test('the progress bar reaches 100 %, and the remaining time is a duration', async () => {
    const { code, screen } = await runInTerminal(argsFor('import', 'c'), folder.path);
    assert.equal(code, 0);
    assertRestored(screen);
    const bars = [...screen.matchAll(/block (\S+) \[[^\]]*\] (\d+)% \|[^|]*\| (\S+) left/g)];
    assert.ok(bars.length >= 2, screen);
    const percents = bars.map(([, , percent]) => Number(percent));
    assert.deepEqual(
      percents,
      [...percents].sort((a, b) => a - b),
    );
    assert.equal(percents.at(-1), 100);
    for (const [, , , left] of bars) assert.match(left ?? '', /^(-|(\d+h\d\dm|\d+m\d\ds|\d+s))$/);
  });

  test('a refused block restores the terminal', async () => {
    const broken = join(folder.path, 'broken.rlp');
    writeFileSync(broken, Buffer.from('c0', 'hex'));
    const args = ['import', '--genesis', genesis, '--blocks', broken, '--data', join(folder.path, 'd')];
    const { code, screen } = await runInTerminal(args, folder.path);
    assert.equal(code, 1);
    assertRestored(screen);
    assert.match(
      screen,
      /portcullis: refused: \S+broken\.rlp: after block 0: .*; 0 blocks of this run stored, head is block 0 /,
    );
  });

  function spawnImport(args: readonly string[]): { readonly code: number | null; readonly stdout: string } {
    const { status, stdout } = spawnSync(process.execPath, [MAIN, ...args], { cwd: ROOT, encoding: 'utf8' });
    return { code: status, stdout };
  }
});

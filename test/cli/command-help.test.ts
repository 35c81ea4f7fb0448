/** The help of every command is complete and up to date. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { before, describe, test } from 'node:test';
import { MAIN } from '../../scripts/program-files.ts';
import { COMMAND_TABLE } from '../../src/cli/command-table.ts';
import type { Command } from '../../src/service/command.ts';
import { type CommandOption, HELP_OPTION, summarize, synopsize } from '../../src/service/command-usage.ts';

const OPTION = /(?<![\w-])--[a-z][a-z-]*/g;
const MAX_WIDTH = 100;

function print(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

describe('help', () => {
  const commands = new Map<string, Command>();
  before(async () => {
    for (const [name, { load }] of Object.entries(COMMAND_TABLE)) {
      const command = await load();
      commands.set(name, command);
      for (const [sub, row] of Object.entries(command.subcommands ?? {})) commands.set(`${name} ${sub}`, row);
    }
  });

  test('every command has its row in the list of commands', () => {
    const list = print('help');
    for (const [name, { synopsis, summary }] of Object.entries(COMMAND_TABLE)) {
      const { help, subcommands } = commands.get(name) as Command;
      assert.equal(help.name, name);
      assert.equal(synopsis, subcommands === undefined ? synopsize(help) : `${name} SUBCOMMAND`);
      assert.equal(summary, summarize(help));
      assert.ok(list.includes(`\n  ${synopsis}`), synopsis);
    }
  });

  test('every option of a command has its row, with its value, its default and whether it is required', () => {
    assert.ok(commands.size >= 18);
    for (const [name, { help, usage, subcommands }] of commands) {
      if (subcommands !== undefined) continue;
      const text = usage.replaceAll(/\s+/g, ' ');
      for (const [option, row] of Object.entries<CommandOption>({ ...help.options, help: HELP_OPTION })) {
        const shown = 'value' in row ? `--${option} ${row.value}` : `--${option}`;
        assert.ok(text.includes(` ${shown} ${row.about}`), `${name}: ${shown}`);
        assert.match(row.about, /\w{2}/, `${name}: ${shown}`);
        if ('value' in row && row.default !== undefined) assert.ok(text.includes(`default ${row.default}`));
        if ('isRequired' in row) assert.ok(text.includes(`required`), `${name}: ${shown}`);
      }
    }
  });

  test('no help names an option that its command does not take', () => {
    for (const [name, { help, usage, subcommands }] of commands) {
      const options = [help, ...Object.values(subcommands ?? {}).map((command) => command.help)].flatMap(
        (one) => Object.keys(one.options),
      );
      const known = new Set([...options, 'help'].map((option) => `--${option}`));
      const foreign = (usage.match(OPTION) ?? []).filter((option) => !known.has(option));
      assert.deepEqual(foreign, [], name);
    }
  });

  test('examples are command lines that their command accepts', () => {
    for (const [name, { help, usage, subcommands }] of commands) {
      if (subcommands !== undefined) continue;
      assert.ok(help.examples.length > 0, name);
      for (const example of help.examples) {
        assert.ok(usage.includes(`\n  ${example}\n`), name);
        const command = name === 'start' ? '(?: start)?' : ` ${name}`;
        assert.match(example, new RegExp(`^(?:[A-Z_]+=\\S+ )?portcullis${command}(?: |$)`));
        for (const [option, row] of Object.entries(help.options)) {
          if ('isRequired' in row) assert.ok(example.includes(` --${option} `), example);
        }
      }
    }
  });

  test('lines fit a terminal, except examples', () => {
    for (const { help, usage } of commands.values()) {
      const long = usage.split('\n').filter((line) => line.length > MAX_WIDTH);
      assert.deepEqual(
        long.filter((line) => !help.examples.includes(line.trim())),
        [],
      );
    }
  });

  test('exit codes 0, 1 and 2 are described', () => {
    for (const [name, { usage, subcommands }] of commands) {
      if (subcommands !== undefined) continue;
      for (const code of [0, 1, 2]) assert.match(usage, new RegExp(`^  ${code} +\\w`, 'm'), name);
    }
  });

  test('--help, -h and help print the same text', () => {
    for (const args of [
      ['doctor', '--help'],
      ['help', 'doctor'],
      ['doctor', '-h', '--nonsense'],
    ])
      assert.equal(print(...args), commands.get('doctor')?.usage);
    assert.equal(print('help', 'keys'), commands.get('keys')?.usage);
    assert.equal(print('help', 'keys', 'rotate'), commands.get('keys rotate')?.usage);
  });
});

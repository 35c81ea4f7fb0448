import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCommand, createCommandGroup } from '../../src/service/command.ts';
import { UsageError } from '../../src/service/usage.ts';

type Run = { readonly values: object; readonly operands: readonly string[] };

function createSample(runs: Run[]) {
  return createCommand({
    name: 'sample',
    operands: ['FILE', '[OTHER]'],
    about: 'Does something.',
    options: {
      name: { short: 'n', value: 'NAME', isRequired: true, about: 'name' },
      mode: { value: 'MODE', choices: ['fast', 'slow'], default: 'fast', about: 'mode' },
      count: { value: 'N', min: 1, max: 9, about: 'count' },
      loud: { about: 'loud' },
    },
    examples: [],
    async run(values, operands) {
      // The type of each value comes from its declaration.
      const name: string = values.name;
      const mode: 'fast' | 'slow' = values.mode;
      const count: number | undefined = values.count;
      const loud: boolean = values.loud;
      runs.push({ values: { name, mode, count, loud }, operands });
      return 7;
    },
  });
}

test('options have their declared values, and defaults', async () => {
  const runs: Run[] = [];
  const command = createSample(runs);
  assert.equal(await command.run(['f', '-n', 'a']), 7);
  assert.equal(await command.run(['--mode=slow', '--count', '3', '--name', 'b', '--loud', 'f', 'g']), 7);
  assert.deepEqual(runs, [
    { values: { name: 'a', mode: 'fast', count: undefined, loud: false }, operands: ['f'] },
    { values: { name: 'b', mode: 'slow', count: 3, loud: true }, operands: ['f', 'g'] },
  ]);
});

test('invalid arguments are usage errors that name the command', async () => {
  const runs: Run[] = [];
  const command = createSample(runs);
  for (const [args, message] of [
    [['f'], 'sample needs --name NAME'],
    [['f', '--name', ''], 'sample needs --name NAME'],
    [['-n', 'a'], 'sample needs FILE'],
    [['f', 'g', 'h', '-n', 'a'], 'sample does not take "h"'],
    [['f', '-n', 'a', '--cuont', '3'], 'sample does not take --cuont, did you mean --count?'],
    [
      ['f', '-n', 'a', '--no-loud'],
      'sample does not take --no-loud; there are: --name, --mode, --count, --loud, --help',
    ],
    [['f', '-n', 'a', '-z'], 'sample does not take -z; there are: --name, --mode, --count, --loud, --help'],
    [['f', '-n', 'a', '--count', '10'], '--count cannot be "10": expected a number from 1 to 9'],
    [['f', '-n', 'a', '--mode', 'fats'], '--mode cannot be "fats", did you mean fast?'],
    [['f', '-n', 'a', '--loud=1'], "Option '--loud' does not take an argument"],
  ] as const) {
    await assert.rejects(command.run(args), (error) => {
      assert.ok(error instanceof UsageError);
      assert.deepEqual([error.message, error.command], [message, 'sample']);
      return true;
    });
  }
  assert.deepEqual(runs, []);
});

test('a group runs the subcommand that its first argument names', async () => {
  const runs: Run[] = [];
  const group = createCommandGroup({ name: 'all', about: 'Groups.' }, { sample: createSample(runs) });
  assert.equal(await group.run(['sample', 'f', '-n', 'a']), 7);
  assert.equal(runs.length, 1);
  await assert.rejects(group.run([]), { message: 'all takes one of sample', command: 'all' });
  await assert.rejects(group.run(['sampel']), {
    message: 'all does not take "sampel", did you mean sample?',
  });
  await assert.rejects(group.run(['sample']), { message: 'sample needs FILE', command: 'sample' });
});

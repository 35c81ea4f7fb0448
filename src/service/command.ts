/** Commands of the program. One declaration has the options of a command and its help. */
import { parseArgs } from 'node:util';
import { pointToNames } from '../util/near-name.ts';
import { readErrorCode } from '../util/system-error.ts';
import {
  type CommandHelp,
  type CommandOption,
  type CommandOptions,
  HELP_OPTION,
  renderGroupUsage,
  renderUsage,
} from './command-usage.ts';
import { readChoice, readIntegerOption } from './option-values.ts';
import { UsageError } from './usage.ts';

type ValueOf<O> = O extends { readonly value: string }
  ?
      | (O extends { readonly choices: readonly (infer C)[] }
          ? C
          : O extends { readonly min: number }
            ? number
            : string)
      | (O extends { readonly isRequired: true } | { readonly default: string } ? never : undefined)
  : boolean;

/** Values of declared options. */
export type OptionValues<O extends CommandOptions> = { readonly [K in keyof O]: ValueOf<O[K]> };

export type CommandSpec<O extends CommandOptions> = CommandHelp & {
  readonly options: O;
  /** @returns the exit code */
  run(values: OptionValues<O>, operands: readonly string[]): Promise<number>;
};

export interface Command {
  readonly help: CommandHelp;
  /** Text of `--help`. */
  readonly usage: string;
  /** Subcommands by name. */
  readonly subcommands?: Readonly<Record<string, Command>>;
  /** Runs the command with its arguments. @returns the exit code @throws UsageError for invalid arguments */
  run(args: readonly string[]): Promise<number>;
}

/** Creates a command that parses its arguments and prints its help for `--help`. Its errors suggest the option that was probably meant. */
export function createCommand<const O extends CommandOptions>(spec: CommandSpec<O>): Command {
  return {
    help: spec,
    get usage() {
      return renderUsage(spec);
    },
    run: (args) =>
      nameInErrors(spec.name, async () => {
        const parsed = parse(spec, args);
        if (parsed !== undefined) return spec.run(parsed.values as OptionValues<O>, parsed.operands);
        process.stdout.write(renderUsage(spec));
        return 0;
      }),
  };
}

/** Creates a command whose first argument names a subcommand. */
export function createCommandGroup(
  about: Pick<CommandHelp, 'name' | 'about'>,
  subcommands: Readonly<Record<string, Command>>,
): Command {
  const help = { ...about, options: {}, examples: [] };
  const usage = renderGroupUsage(
    help,
    Object.values(subcommands).map((command) => command.help),
  );
  return {
    help,
    usage,
    subcommands,
    run: ([name = '', ...args]) =>
      nameInErrors(about.name, async () => {
        if (name === '--help' || name === '-h') {
          process.stdout.write(usage);
          return 0;
        }
        if (Object.hasOwn(subcommands, name)) return (subcommands[name] as Command).run(args);
        const names = Object.keys(subcommands);
        if (name === '') throw new UsageError(`${about.name} takes one of ${names.join(', ')}`);
        throw new UsageError(
          `${about.name} does not take ${JSON.stringify(name)}${pointToNames(name, names)}`,
        );
      }),
  };
}

/** Adds the name of a command to usage errors. */
async function nameInErrors(command: string, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UsageError) error.command ??= command;
    throw error;
  }
}

type Parsed = { readonly values: Record<string, unknown>; readonly operands: readonly string[] };

/** Parses arguments; undefined if they contain `--help`. @throws UsageError */
function parse({ name, options, operands = [] }: CommandHelp, args: readonly string[]): Parsed | undefined {
  const declared = Object.fromEntries(
    Object.entries({ ...options, help: HELP_OPTION }).map(([option, { short, ...rest }]) => {
      const type = 'value' in rest ? ('string' as const) : ('boolean' as const);
      return [option, { type, ...(short !== undefined && { short }) }];
    }),
  );
  const config = { args: [...args], options: declared, allowPositionals: true };
  const { tokens } = parseArgs({ ...config, strict: false, tokens: true });
  const provided = tokens.filter((token) => token.kind === 'option');
  if (provided.some((token) => token.name === 'help')) return undefined;
  const unknown = provided.find((token) => !Object.hasOwn(declared, token.name));
  if (unknown !== undefined) {
    const names = Object.keys(declared).map((option) => `--${option}`);
    throw new UsageError(`${name} does not take ${unknown.rawName}${pointToNames(unknown.rawName, names)}`);
  }
  const { values, positionals } = parseStrictly(config);
  checkOperands(name, operands, positionals);
  return {
    values: Object.fromEntries(
      Object.entries(options).map(([option, row]) => [option, readValue(name, option, row, values[option])]),
    ),
    operands: positionals,
  };
}

/** @throws UsageError if the value of an option is missing */
function parseStrictly(config: Parameters<typeof parseArgs>[0]): ReturnType<typeof parseArgs> {
  try {
    return parseArgs(config);
  } catch (error) {
    if (readErrorCode(error)?.startsWith('ERR_PARSE_ARGS_') !== true) throw error;
    throw new UsageError((error as Error).message);
  }
}

function checkOperands(name: string, declared: readonly string[], operands: readonly string[]): void {
  const missing = declared.find((operand, i) => !operand.startsWith('[') && operands[i] === undefined);
  if (missing !== undefined) throw new UsageError(`${name} needs ${missing}`);
  const extra = operands[declared.length];
  if (extra !== undefined) throw new UsageError(`${name} does not take ${JSON.stringify(extra)}`);
}

function readValue(command: string, name: string, option: CommandOption, parsed: unknown): unknown {
  if (!('value' in option)) return parsed === true;
  const text = (parsed as string | undefined) ?? option.default;
  if (option.isRequired === true && !text) {
    const advice = option.advice === undefined ? '' : `: ${option.advice}`;
    throw new UsageError(`${command} needs --${name} ${option.value}${advice}`);
  }
  if (text === undefined) return undefined;
  if ('choices' in option) return readChoice(name, text, option.choices);
  return 'min' in option ? readIntegerOption(name, text, option.min, option.max) : text;
}

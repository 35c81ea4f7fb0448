/** Option without a value. */
export type FlagOption = {
  /** One letter. */
  readonly short?: string;
  readonly about: string;
};

/** Option with a text as its value. */
export type TextOption = FlagOption & {
  /** Name of the value in the help, such as `FILE`. */
  readonly value: string;
  readonly default?: string;
  readonly isRequired?: true;
  /** Advice in the error if a required option is missing. */
  readonly advice?: string;
};

type ChoiceOption = TextOption & { readonly choices: readonly string[] };
export type IntegerOption = TextOption & { readonly min: number; readonly max: number };

export type CommandOption = FlagOption | TextOption | ChoiceOption | IntegerOption;
export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** Help of a command. */
export type CommandHelp = {
  /** Words after `portcullis`, such as `keys create`. */
  readonly name: string;
  /** Operands in their order; the names of optional ones are in brackets. */
  readonly operands?: readonly string[];
  /** First sentence: summary in lists of commands. Paragraphs are separated by blank lines. */
  readonly about: string;
  readonly options: CommandOptions;
  /** Environment variables that the command reads, with their meaning. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Command lines, such as `portcullis keys list`. */
  readonly examples: readonly string[];
  /** Exit codes that differ from the default ones, with their meaning. */
  readonly exitCodes?: Readonly<Record<number, string>>;
};

/** Option of every command. */
export const HELP_OPTION: FlagOption = { short: 'h', about: 'print this text' };

/** Maximum length of a line in characters; longer words and examples have lines of their own. */
const WIDTH = 100;
/** Minimum number of options that are replaced with `[OPTIONS]` in a list of commands. */
const MANY_OPTIONS = 2;
/** Maximum length of a first column that is followed by the second one in the same line. */
const MAX_COLUMN = 46;
const EXIT_CODES = { 0: 'success', 1: 'failure, with the reason on stderr', 2: 'invalid command line' };

/** Returns the text of `--help`. */
export function renderUsage(help: CommandHelp): string {
  const { options, environment = {}, examples, exitCodes } = help;
  const rows = Object.entries({ ...options, help: HELP_OPTION }).map(([name, option]) => {
    const short = option.short === undefined ? '    ' : `-${option.short}, `;
    return [`${short}${showOption(name, option)}`, describeOption(option)] as const;
  });
  return joinSections([
    wrap(['portcullis', ...listWords(help)], '  '),
    renderParagraphs(help.about),
    renderRows('Options:', rows),
    renderRows('Environment:', Object.entries(environment)),
    ['Examples:', ...examples.map((line) => `  ${line}`)].join('\n'),
    renderRows('Exit codes:', Object.entries({ ...EXIT_CODES, ...exitCodes })),
  ]);
}

/** Returns the text of `--help` for a command that has subcommands. */
export function renderGroupUsage(
  { name, about }: Pick<CommandHelp, 'name' | 'about'>,
  subcommands: readonly CommandHelp[],
): string {
  const rows = subcommands.map((help) => [`portcullis ${synopsize(help)}`, summarize(help)] as const);
  return joinSections([
    renderParagraphs(about),
    renderRows('Subcommands:', rows),
    `\`portcullis ${name} SUBCOMMAND --help\` lists the options of a subcommand.`,
  ]);
}

/** Returns a command with its operands and options in one line, such as `serve --config FILE [--strict]`. */
export function synopsize(help: CommandHelp): string {
  return listWords(help, MANY_OPTIONS).join(' ');
}

/** Returns the first sentence of a command's description, without its full stop. */
export function summarize({ about }: Pick<CommandHelp, 'about'>): string {
  return about.split(/\.\s/)[0]?.replace(/\.$/, '') ?? about;
}

/** Formats rows of two columns below a heading; an empty text if there are none. A long first column has a line of its own. */
export function renderRows(heading: string, rows: readonly (readonly [string, string])[]): string {
  if (rows.length === 0) return '';
  const lengths = rows.map(([first]) => first.length).filter((length) => length <= MAX_COLUMN);
  const indent = ' '.repeat(Math.max(0, ...lengths) + 4);
  const lines = rows.map(([first, second]) => {
    const isLong = first.length > MAX_COLUMN;
    const start = isLong ? indent.slice(1) : `  ${first}`.padEnd(indent.length - 1);
    return `${isLong ? `  ${first}\n` : ''}${wrap([start, ...second.split(' ')], indent)}`;
  });
  return [heading, ...lines].join('\n');
}

/** Lists name, operands, required options and further options. @param many number of further options that `[OPTIONS]` replaces */
function listWords({ name, operands = [], options }: CommandHelp, many?: number): string[] {
  const all = Object.entries(options).map(([option, row]) => ({ option, row }));
  const isRequired = ({ row }: { readonly row: CommandOption }): boolean =>
    'isRequired' in row && row.isRequired === true;
  const show = ({ option, row }: (typeof all)[number]): string => showOption(option, row);
  const further = all.filter((one) => !isRequired(one)).map((one) => `[${show(one)}]`);
  const shown = many !== undefined && further.length >= many ? ['[OPTIONS]'] : further;
  return [name, ...operands, ...all.filter(isRequired).map(show), ...shown];
}

function showOption(name: string, option: CommandOption): string {
  return 'value' in option ? `--${name} ${option.value}` : `--${name}`;
}

function describeOption(option: CommandOption): string {
  const { about } = option;
  if (!('value' in option)) return about;
  const notes = [
    ...('choices' in option ? [option.choices.join(' | ')] : []),
    ...(option.isRequired === true ? ['required'] : []),
    ...(option.default === undefined ? [] : [`default ${option.default}`]),
  ];
  return notes.length === 0 ? about : `${about} (${notes.join(', ')})`;
}

function renderParagraphs(text: string): string {
  return text
    .split('\n\n')
    .map((paragraph) => wrap(paragraph.split(/\s+/), ''))
    .join('\n\n');
}

/** Joins words to lines of at most `WIDTH` characters. @param indent beginning of all lines but the first */
function wrap(words: readonly string[], indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    if (line.trim() !== '' && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}

function joinSections(sections: readonly string[]): string {
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

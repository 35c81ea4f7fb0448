/** Generates the core's constants from the definitions that host and core share, as AssemblyScript. */
import {
  CALL_ENTRY,
  CORE_LIMITS,
  CORE_REGIONS,
  ENTRY,
  EXCHANGE_FIELDS,
  EXCHANGE_WORDS,
  LOG_FIELD,
  OPCODE_FACT,
  OPCODE_FLAG,
  RECORD,
  RULE_NUMBERS,
  RULE_SWITCHES,
  RUN,
  SLOT_FIELD,
  STATUS,
} from '../core-interface.ts';

type Numbers = Readonly<Record<string, number>>;

/** Converts `blockNumber` to `BLOCK_NUMBER`. */
function toConstant(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toUpperCase();
}

function writeConstants(type: string, numbers: Numbers, prefix = ''): string {
  return Object.entries(numbers)
    .map(([name, value]) => `export const ${prefix}${toConstant(name)}: ${type} = ${value};\n`)
    .join('');
}

/** Generates the layout of linear memory. */
export function generateLayout(): string {
  const regions = [...CORE_REGIONS].flatMap(([name, { start, end }]): [string, number][] => [
    [name, start],
    [`${name}End`, end],
  ]);
  return (
    writeConstants('usize', Object.fromEntries(regions)) +
    writeConstants('u32', CORE_LIMITS) +
    writeConstants('usize', OPCODE_FACT, 'FACT_') +
    writeConstants('u32', OPCODE_FLAG) +
    writeConstants('usize', SLOT_FIELD, 'SLOT_') +
    writeConstants('usize', LOG_FIELD, 'LOG_') +
    writeConstants('usize', CALL_ENTRY, 'CALL_') +
    writeConstants('u32', RECORD, 'RECORD_')
  );
}

/** Generates the addresses of the values in the exchange region. */
export function generateExchange(): string {
  return writeConstants('usize', { ...EXCHANGE_WORDS, ...EXCHANGE_FIELDS });
}

/** Generates the end statuses of frames and the return reasons of a run. */
export function generateStatus(): string {
  return (
    writeConstants('i32', STATUS) + writeConstants('i32', RUN) + writeConstants('usize', ENTRY, 'ENTRY_')
  );
}

/** Generates a bit constant per rule switch and a variable per rule number. */
export function generateRules(): string {
  const switches = RULE_SWITCHES.map((name, bit) => `export const ${name}: u32 = 1 << ${bit};\n`);
  const numbers = RULE_NUMBERS.map((name) => `export let ${name}: i64 = 0;\n`);
  const reads = RULE_NUMBERS.map((name, i) => `  ${name} = load<i64>(RULE_NUMBERS, ${8 * i});\n`);
  return `import { RULE_NUMBERS } from './exchange.ts';
${switches.join('')}${numbers.join('')}
export function readRuleNumbers(): void {
${reads.join('')}}
`;
}

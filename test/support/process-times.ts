/** What the processes of a test run take: `node build/test/run-tests.js --times`. */
import { appendFileSync, readFileSync } from 'node:fs';

/** Of `/proc/PID/stat`: the kernel's unit in what it shows to programs. */
const TICKS_PER_SECOND = 100;

/** Has this process append a line to a file when it exits. */
export function reportTimesAtExit(name: string, file: string): void {
  process.on('exit', () => {
    const line = [readProcessorSeconds().toFixed(1), (performance.now() / 1000).toFixed(1), name];
    appendFileSync(file, `${line.join('\t')}\n`);
  });
}

/** Of this process and of its children that have ended; where there is no `/proc`, of this process alone. */
function readProcessorSeconds(): number {
  try {
    // The name of the program, in parentheses, may have blanks in it.
    const fields = readFileSync('/proc/self/stat', 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}

/** @returns what the processes have reported as a table, the one that took most processor time first */
export function tabulateTimes(file: string): string {
  const rows = readFileSync(file, 'utf8').trimEnd().split('\n');
  const cells = rows.map((row) => row.split('\t')).sort(([a], [b]) => Number(b) - Number(a));
  const sum = cells.reduce((total, [seconds]) => total + Number(seconds), 0);
  const lines = [['CPU s', 'wall s', ''], ...cells, [sum.toFixed(1), '', 'all']];
  return lines
    .map(([cpu = '', wall = '', name = '']) => `${cpu.padStart(7)} ${wall.padStart(7)}  ${name}`)
    .join('\n');
}

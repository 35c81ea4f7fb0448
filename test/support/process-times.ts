/** Times of the processes of a test run: `node build/test/run-tests.js --times`. */
import { appendFileSync, readFileSync } from 'node:fs';

/** Unit of `/proc/PID/stat`: the kernel's user-visible clock tick. */
const TICKS_PER_SECOND = 100;

/** Makes this process append a line to a file when it exits. */
export function reportTimesAtExit(name: string, file: string): void {
  process.on('exit', () => {
    const line = [readProcessorSeconds().toFixed(1), (performance.now() / 1000).toFixed(1), name];
    appendFileSync(file, `${line.join('\t')}\n`);
  });
}

/** Processor time of this process and of its ended children, seconds; without `/proc` of this process alone. */
function readProcessorSeconds(): number {
  try {
    // The program name, in parentheses, may contain blanks.
    const fields = readFileSync('/proc/self/stat', 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}

/** Returns the reported times as a table, most processor time first. */
export function tabulateTimes(file: string): string {
  const rows = readFileSync(file, 'utf8').trimEnd().split('\n');
  const cells = rows.map((row) => row.split('\t')).sort(([a], [b]) => Number(b) - Number(a));
  const sum = cells.reduce((total, [seconds]) => total + Number(seconds), 0);
  const lines = [['CPU s', 'wall s', ''], ...cells, [sum.toFixed(1), '', 'all']];
  return lines
    .map(([cpu = '', wall = '', name = '']) => `${cpu.padStart(7)} ${wall.padStart(7)}  ${name}`)
    .join('\n');
}

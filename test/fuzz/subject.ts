/** The engine under test, behind the one interface that the fuzzers know. */
import type { Engine } from './engine.ts';
import { OracleEngine } from './oracle/oracle-engine.ts';

/** Makes the engine under test. */
export async function createSubject(): Promise<Engine> {
  return new OracleEngine();
}

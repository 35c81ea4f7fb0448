/** What needs the engine: one part of the program, loaded on demand. */
import { createPool, openEmbeddedChain, prepareStore } from './open-embedded-chain.ts';
import { openCodes, prepareExecutions } from './open-executions.ts';

export { createPool, openCodes, openEmbeddedChain, prepareExecutions, prepareStore };

/** Modules that need the engine, loaded on demand as one bundle. */
import { createPool, openEmbeddedChain, prepareStore } from './open-embedded-chain.ts';
import { openCodes, prepareExecutions } from './open-executions.ts';

export { createPool, openCodes, openEmbeddedChain, prepareExecutions, prepareStore };

import { parentPort, workerData } from 'node:worker_threads';
import type { FuzzTask, WorkerReport } from './fuzz-task.ts';
import { OracleEngine } from './oracle/oracle-engine.ts';
import { runCases } from './run-cases.ts';
import { createSubject } from './subject.ts';

const task = workerData as FuzzTask;
const send = (report: WorkerReport): void => parentPort?.postMessage(report);

const oracle = new OracleEngine();
const subject = await createSubject();
const programs = await runCases(task, subject, oracle, (failure) => send({ kind: 'failure', failure }));
send({ kind: 'done', programs, steps: oracle.steps });

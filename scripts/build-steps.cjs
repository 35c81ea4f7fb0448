const TSC = 'node_modules/typescript/bin/tsc';

/** Programs that build the program alone, in order: a file below the repository, and its arguments. */
const PROGRAM = [
  [TSC, '-b', 'src/cli', 'src/embedding', 'scripts'],
  ['build/scripts/core/build.js'],
  ['build/scripts/bundle.js'],
];

/**
 * A build of everything begins with the build of the program, so that a build from a new clone fails if the program needs a file that its own build
 * does not compile.
 */
module.exports = { program: PROGRAM, all: [...PROGRAM, [TSC, '-b']] };

/** Programs that a build runs, in order: a file below the repository, and its arguments. */
const AFTER_COMPILER = [['build/scripts/core/build.js'], ['build/scripts/bundle.js']];

/** The program alone, and everything: the program, its tests and its benches. */
module.exports = {
  program: [
    ['node_modules/typescript/bin/tsc', '-b', 'src/cli', 'src/embedding', 'scripts'],
    ...AFTER_COMPILER,
  ],
  all: [['node_modules/typescript/bin/tsc', '-b'], ...AFTER_COMPILER],
};

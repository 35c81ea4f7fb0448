/** Returns the beginning of a command line in the form in which this program was started. */
export function findProgram(): string {
  switch (process.env['npm_lifecycle_event']) {
    case 'start':
      return 'npm start --';
    case 'npx':
      return 'npx portcullis';
    default:
      return 'portcullis';
  }
}

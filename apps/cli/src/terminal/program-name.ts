/** The name of this program in commands that the user can copy. */
export const programName = (): string => (process.env['npm_command'] === undefined ? 'holdfast' : 'npx holdfast');

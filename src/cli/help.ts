/** What stands at the end of a command's help. A test runs each of them. */
export const examples = (...lines: string[]): string =>
  `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`

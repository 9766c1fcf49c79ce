/** What a command meets: the terminal, the environment, and whoever presses Ctrl-C. A test gives its own. */
export interface World {
  env: Readonly<Record<string, string | undefined>>
  /** Standard output. Resolves once it is out, rejects where nobody takes it. */
  write(text: string): Promise<void>
  /** Standard error: progress, warnings, failures. */
  note(text: string): void
  /** Standard input, whole. */
  read(): Promise<string>
  /** Of the terminal; undefined where the output is no terminal. */
  columns: number | undefined
  /** Whether whoever reads standard error sees it at once, so that a line may be written over. */
  watched: boolean
  /** Aborted by Ctrl-C. */
  stop: AbortSignal
}

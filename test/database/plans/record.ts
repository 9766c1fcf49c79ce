import { Client, Pool } from 'pg'

/** A statement as it was sent, with the values of one time, and the files of `src` that were under way. */
export interface Recorded {
  text: string
  values: unknown[]
  /** It is prepared under a name, so that PostgreSQL may plan it once for all values. */
  named: boolean
  /** The file of `src` that asks, where the stack still told. */
  from: string | undefined
}

export interface Recording {
  statements: Map<string, Recorded>
  /** Files of `src` from which a statement came. */
  files: Set<string>
  stop(): void
}

type Query = (this: unknown, ...args: unknown[]) => unknown

/** The files of `src` on the stack, the nearest first. */
const filesAsking = (): string[] =>
  [...(new Error().stack ?? '').matchAll(/\/(src\/[\w/-]+\.ts)/g)].map(([, file]) => file as string)

/** Records what every pool and connection of this process is asked, also Prisma's, until it is stopped. */
export function record(): Recording {
  const statements = new Map<string, Recorded>()
  const files = new Set<string>()
  const restore = [Pool, Client].map(({ prototype }) => {
    const holder = prototype as unknown as { query: Query }
    const { query } = holder
    holder.query = function (this: unknown, ...args: unknown[]) {
      const [first, second] = args as [string | Partial<Recorded & { name: string }>, unknown]
      const config = typeof first === 'string' ? { text: first } : first
      const values = 'values' in config && config.values ? config.values : Array.isArray(second) ? second : []
      const { text } = config
      if (typeof text === 'string' && /^\s*(with|select|insert|update|delete)/i.test(text)) {
        const known = statements.get(text)?.from
        // To tell who asks takes longer than to ask.
        const asking = known === undefined ? filesAsking() : [known]
        const from = asking.find((file) => !file.startsWith('src/database/'))
        statements.set(text, { text, values, named: 'name' in config, from })
        for (const file of asking) files.add(file)
      }
      return query.apply(this, args)
    }
    return () => {
      holder.query = query
    }
  })
  return {
    statements,
    files,
    stop() {
      for (const undo of restore) undo()
    },
  }
}

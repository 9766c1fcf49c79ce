/** A statement as it is sent: its parameters by number. */
export interface Statement {
  text: string
  values: unknown[]
}

interface Prepared {
  text: string
  names: string[]
}

/** Texts that were read before; there are as many as the code has. */
const known = new Map<string, Prepared>()

/** `:name`, and neither a cast (`::text`) nor what follows a word (`'a:b'`). */
const PARAMETER = /(^|[^:\w]):([a-z]\w*)/gi

/**
 * A statement whose parameters have names: `:siteId` takes the value of `siteId`, however often it stands there.
 *
 * @throws Error where a parameter has no value or a value no parameter, which is a mistake in the code
 */
export function named(text: string, values: Record<string, unknown>): Statement {
  const statement = known.get(text) ?? read(text)
  known.set(text, statement)
  for (const name of statement.names) if (!(name in values)) throw new Error(`:${name} has no value`)
  for (const name of Object.keys(values))
    if (!statement.names.includes(name)) throw new Error(`the statement has no :${name}`)
  return { text: statement.text, values: statement.names.map((name) => values[name]) }
}

function read(text: string): Prepared {
  const names: string[] = []
  const numbered = text.replace(PARAMETER, (_, before: string, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `${before}$${names.indexOf(name) + 1}`
  })
  return { text: numbered, names }
}

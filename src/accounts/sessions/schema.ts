import { z } from 'zod'
import { roles } from '../rights.ts'

/** Who makes a request, and what it may do. */
export const sessionSchema = z
  .object({
    account: z.object({ id: z.guid(), name: z.string() }),
    key: z.object({
      id: z.guid(),
      name: z.string(),
      last_four: z.string().describe('Its last four characters.'),
    }),
    role: z.enum(roles),
    rights: z.array(z.string()).describe('What it may do: docs/api.md has the table.'),
    limited: z.boolean().describe('Whether it sees some sites only.'),
    session: z
      .object({ since: z.iso.datetime(), until: z.iso.datetime() })
      .nullable()
      .describe(
        'When it was signed in, and when that ends at the latest; null of a request that sends its key.',
      ),
  })
  .meta({ id: 'Session' })

export type SessionView = z.output<typeof sessionSchema>

import { z } from 'zod'

type Defaulted = Readonly<Record<string, z.ZodDefault>>

type Patch<Shape extends Defaulted> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodDefault<infer Inner> ? z.ZodOptional<Inner> : never
}

/** Some of the fields of `schema`, without its defaults: what a request leaves out is not there. */
export function patchOf<Shape extends Defaulted>(
  schema: z.ZodObject<Shape>,
): z.ZodObject<Patch<Shape>, z.core.$strict> {
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const inner = field.unwrap() as z.ZodType
    return [name, inner.optional().describe(field.description ?? '')]
  })
  return z.strictObject(Object.fromEntries(fields) as Patch<Shape>)
}

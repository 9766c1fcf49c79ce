import { readFile } from 'node:fs/promises'
import { type GetDMMFError, getDMMF } from '@prisma/get-dmmf'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

// prisma/schema.prisma and prisma/migrations describe the same tables. A migration is written by hand, so both are compared as
// lines of text: those that the schema asks for, as Prisma reads it, and those that a migrated database has.

const schema = await readFile(new URL('../../prisma/schema.prisma', import.meta.url), 'utf8')

let database: FreshDatabase
let pool: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 1 })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

type Datamodel = Exclude<ReturnType<typeof getDMMF>, GetDMMFError>['datamodel']
type Model = Datamodel['models'][number]
type Field = Model['fields'][number]

/** PostgreSQL's names of the types that Prisma uses without `@db`, and of those that are written with it. */
const TYPES: Readonly<Record<string, string>> = {
  String: 'text',
  Int: 'integer',
  BigInt: 'bigint',
  Boolean: 'boolean',
  Json: 'jsonb',
  Bytes: 'bytea',
  Uuid: 'uuid',
  'Timestamptz(3)': 'timestamp(3) with time zone',
}

function typeOf({ type, nativeType, isList }: Field): string {
  const [native, parameters = []] = nativeType ?? []
  const named = native && `${native}${parameters.length > 0 ? `(${parameters})` : ''}`
  return `${TYPES[named ?? type] ?? `of an unknown type ${named ?? type}`}${isList ? '[]' : ''}`
}

const columnOf = ({ name, dbName }: Field): string => dbName ?? name

function defaultOf(table: string, field: Field): string {
  const value = field.default
  if (value === undefined) return ''
  if (Array.isArray(value)) return ` DEFAULT ARRAY[]::${typeOf(field)}`
  if (typeof value !== 'object') {
    const quoted = field.type === 'String' || field.type === 'Json'
    return ` DEFAULT ${quoted ? `'${value}'::${typeOf(field)}` : value}`
  }
  const { name } = value as { name: string }
  if (name === 'now') return ' DEFAULT CURRENT_TIMESTAMP'
  return ` DEFAULT nextval('${table}_${columnOf(field)}_seq'::regclass)`
}

/** The lines that a schema asks for. */
function wanted(text: string): string[] {
  const document = getDMMF({ datamodel: text })
  if ('error' in document) throw document.error
  const { models, indexes } = document.datamodel
  const tableOf = ({ name, dbName }: Model) => dbName ?? name
  const named = (name: string): Model => {
    const model = models.find((one) => one.name === name)
    if (model === undefined) throw new Error(`no model ${name}`)
    return model
  }
  const columns = (model: Model, names: readonly string[]) =>
    names.map((name) => columnOf(model.fields.find((field) => field.name === name) as Field))
  const lines: string[] = []
  for (const model of models) {
    const table = tableOf(model)
    for (const field of model.fields) {
      if (field.kind !== 'object') {
        const notNull = field.isRequired && !field.isList ? ' NOT NULL' : ''
        lines.push(`${table}.${columnOf(field)} ${typeOf(field)}${notNull}${defaultOf(table, field)}`)
      } else if ((field.relationFromFields ?? []).length > 0) {
        const from = columns(model, field.relationFromFields as string[])
        const other = named(field.type)
        const to = columns(other, field.relationToFields as string[])
        lines.push(
          `${table}_${from.join('_')}_fkey ON ${table} FOREIGN KEY (${from.join(', ')}) REFERENCES ${tableOf(other)}(${to.join(', ')}) ON UPDATE CASCADE ON DELETE ${(field.relationOnDelete ?? 'RESTRICT').toUpperCase()}`,
        )
      }
    }
  }
  for (const { model: name, type, fields } of indexes) {
    const model = named(name)
    const over = columns(
      model,
      fields.map((field) => field.name),
    )
    const table = tableOf(model)
    const suffix = { id: 'pkey', unique: 'key', normal: 'idx', fulltext: 'fulltext' }[type]
    const full = type === 'id' ? `${table}_pkey` : `${table}_${over.join('_')}_${suffix}`
    lines.push(`${type === 'normal' ? 'INDEX' : 'UNIQUE INDEX'} ${full} ON ${table} (${over.join(', ')})`)
  }
  return lines.sort()
}

/** The lines of the database, without what Prisma's language cannot say: checks, partial indexes and those of expressions. */
async function present(): Promise<string[]> {
  const { rows } = await pool.query<{ line: string }>(`
    WITH ours AS (
      SELECT oid, relname FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> '_prisma_migrations'
    )
    SELECT concat(relname, '.', attname, ' ', format_type(atttypid, atttypmod),
      CASE WHEN attnotnull THEN ' NOT NULL' END, ' DEFAULT ' || pg_get_expr(adbin, adrelid)) AS line
    FROM ours JOIN pg_attribute ON attrelid = ours.oid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    UNION ALL
    SELECT concat(conname, ' ON ', relname, ' ', pg_get_constraintdef(pg_constraint.oid))
    FROM ours JOIN pg_constraint ON conrelid = ours.oid AND contype = 'f'
    UNION ALL
    SELECT concat(CASE WHEN indisunique THEN 'UNIQUE ' END, 'INDEX ', indexrelid::regclass, ' ON ', relname, ' (',
      (SELECT string_agg(pg_get_indexdef(indexrelid, n, true), ', ' ORDER BY n) FROM generate_series(1, indnkeyatts) n), ')')
    FROM ours JOIN pg_index ON indrelid = ours.oid AND indpred IS NULL AND indexprs IS NULL`)
  return rows.map(({ line }) => line).sort()
}

test('the migrations make the tables that schema.prisma asks for', async () => {
  expect(await present()).toEqual(wanted(schema))
})

test('a column, an index and a default that lack a migration are found', async () => {
  const changed = schema
    .replace('@@map("account")', 'motto String?\n  @@index([name])\n  @@map("account")')
    .replace('@default("owner")', '@default("reader")')
  expect(changed).not.toBe(schema)
  const there = await present()
  expect(wanted(changed).filter((line) => !there.includes(line))).toEqual([
    'INDEX account_name_idx ON account (name)',
    'account.motto text',
    "api_key.role text NOT NULL DEFAULT 'reader'::text",
  ])
})

import { __ } from '@wordpress/i18n'
import { formatLabels, parseLabels } from '../../../../src/lib/label-list.ts'
import { type FieldForm, postFieldForms } from './table.ts'

export interface Row {
  name: string
  text: string
}

/** What stands in a form for a value. JSON, so that a draft can be stored. */
export type Input = string | Row[] | Inputs

export interface Inputs {
  [name: string]: Input
}

type Forms = Readonly<Record<string, FieldForm>>
type Values = Readonly<Record<string, unknown>>

/** The inputs of values that a form begins with. */
export const inputsOf = (forms: Forms, values: Values): Inputs =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const form = forms[name]
      return form === undefined || value === undefined || value === null ? [] : [[name, inputOf(form, value)]]
    }),
  )

function inputOf(form: FieldForm, value: unknown): Input {
  switch (form.kind) {
    case 'yes_no':
      return value === true ? 'yes' : 'no'
    case 'group':
      return inputsOf(form.members, value as Values)
    case 'lists':
    case 'values':
    case 'names':
      return Object.entries(value as Values).map(([name, one]) => ({ name, text: textOf(form.kind, one) }))
    default:
      return String(value)
  }
}

const textOf = (kind: FieldForm['kind'], value: unknown): string => {
  if (kind === 'lists') return formatLabels(value as string[])
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * The values of inputs; what is empty is left out.
 *
 * @param before the values that the form began with: what was not changed stays as it is
 */
export const valuesOf = (forms: Forms, inputs: Inputs, before: Values = {}): Record<string, unknown> => {
  const begun = inputsOf(forms, before)
  return Object.fromEntries(
    Object.entries(inputs).flatMap(([name, input]) => {
      const form = forms[name]
      if (form === undefined) return []
      const isAsBefore = JSON.stringify(input) === JSON.stringify(begun[name])
      const value = isAsBefore ? before[name] : valueFrom(form, input)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

function valueFrom(form: FieldForm, input: Input): unknown {
  if (Array.isArray(input)) {
    const said = input.filter(({ name, text }) => name.trim() !== '' && text.trim() !== '')
    const entries = said.map(({ name, text }) => [name.trim(), pairValue(form.kind, text.trim())])
    return entries.length === 0 ? undefined : Object.fromEntries(entries)
  }
  if (typeof input !== 'string') {
    const members = form.kind === 'group' ? valuesOf(form.members, input) : {}
    return Object.keys(members).length === 0 ? undefined : members
  }
  const text = input.trim()
  if (text === '') return undefined
  if (form.kind === 'yes_no') return text === 'yes'
  if (form.kind === 'date') return new Date(text).toISOString()
  const isNumber = form.kind === 'number' || form.kind === 'number_or_text'
  return isNumber && /^-?\d+$/.test(text) ? Number(text) : text
}

/** WordPress reads numbers from text. A list or an object is written as JSON. */
function pairValue(kind: FieldForm['kind'], text: string): unknown {
  if (kind === 'lists') return parseLabels(text)
  if (kind !== 'values' || !/^[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The labels of those of these fields that are set. */
export const namesSet = (forms: Forms, inputs: Inputs): string =>
  Object.keys(valuesOf(forms, inputs))
    .map((name) => forms[name]?.label())
    .join(', ')

/** A value, as people read it. */
export function valueInWords(form: FieldForm | undefined, value: unknown): string {
  if (typeof value === 'boolean') return value ? __('Yes', 'galley') : __('No', 'galley')
  if (form?.kind === 'choice') return form.options[String(value)]?.() ?? String(value)
  if (Array.isArray(value)) return value.map((one) => valueInWords(undefined, one)).join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, one]) => {
      const member = form?.kind === 'group' ? form.members[name] : undefined
      return `${member?.label() ?? name}: ${valueInWords(member, one)}`
    })
    .join(' · ')
}

/** A field as the API names it, in words: `seo.title` has a label, `fields.subtitle` is a name of the site's own. */
export function fieldInWords(path: string): { label: string; form: FieldForm | undefined } {
  const [name = '', ...rest] = path.split('.')
  const form = (postFieldForms as Forms)[name]
  const inner = rest.join('.')
  if (form === undefined) return { label: path, form }
  if (inner === '') return { label: form.label(), form }
  const member = form.kind === 'group' ? form.members[inner] : undefined
  return { label: member?.label() ?? `${form.label()}: ${inner}`, form: member }
}

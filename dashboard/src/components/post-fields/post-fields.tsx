import { __, sprintf } from '@wordpress/i18n'
import { closeSmall, Icon } from '@wordpress/icons'
import { useId } from 'react'
import { fieldError } from '../../api/failure.ts'
import { Button } from '../button.tsx'
import { Fact } from '../facts.tsx'
import { Area, Choice, Field, Select, useFormFailure } from '../form.tsx'
import { Group } from '../group.tsx'
import { inWords } from '../texts.ts'
import { type Input, type Inputs, namesSet, type Row, valueInWords } from './inputs.ts'
import { type FieldForm, type PostFieldName, postFieldForms } from './table.ts'

interface PostFieldProps {
  form: FieldForm
  input: Input | undefined
  onChange(input: Input): void
  /** Its path in the request. */
  path?: string | undefined
}

/** The control of a field, by the kind of its value. */
export function PostField({ form, input, onChange, path }: PostFieldProps) {
  const help = form.help?.()
  if (form.kind === 'group')
    return (
      <Choice legend={form.label()}>
        {help && <p className="g-weak">{help}</p>}
        <div className="g-form">
          <Fields
            forms={form.members}
            inputs={isInputs(input) ? input : {}}
            onChange={onChange}
            path={path}
          />
        </div>
      </Choice>
    )
  if (form.kind === 'lists' || form.kind === 'values' || form.kind === 'names')
    return <Pairs form={form} rows={Array.isArray(input) ? input : []} onChange={onChange} path={path} />
  const value = typeof input === 'string' ? input : ''
  const control = {
    label: form.label(),
    value,
    onChange,
    ...(help && { help }),
    ...(path && { path }),
  }
  const unset = { '': __('Not set', 'galley') }
  switch (form.kind) {
    case 'area':
      return <Area {...control} rows={2} />
    case 'choice':
      return <Select {...control} options={{ ...unset, ...inWords(form.options) }} />
    case 'yes_no':
      return <Select {...control} options={{ ...unset, yes: __('Yes', 'galley'), no: __('No', 'galley') }} />
    case 'date':
      return <Field {...control} type="datetime-local" />
    case 'number':
      return <Field {...control} inputMode="numeric" autoComplete="off" />
    default:
      return <Field {...control} autoComplete="off" />
  }
}

const isInputs = (input: Input | undefined): input is Inputs =>
  typeof input === 'object' && !Array.isArray(input)

interface FieldsProps {
  forms: Readonly<Record<string, FieldForm>>
  inputs: Inputs
  onChange(inputs: Inputs): void
  path?: string | undefined
}

/** Fields one below the other. */
export const Fields = ({ forms, inputs, onChange, path }: FieldsProps) => (
  <>
    {Object.entries(forms).map(([name, form]) => (
      <PostField
        key={name}
        form={form}
        input={inputs[name]}
        onChange={(input) => onChange({ ...inputs, [name]: input })}
        path={path && `${path}.${name}`}
      />
    ))}
  </>
)

interface PairsProps {
  form: FieldForm & { kind: 'lists' | 'values' | 'names' }
  rows: Row[]
  onChange(rows: Row[]): void
  path: string | undefined
}

/** Names and their values, a row each. */
function Pairs({ form, rows, onChange, path }: PairsProps) {
  const error = fieldError(useFormFailure(), path)
  const id = useId()
  const [left, right] = form.columns
  const mistakes = rows.map((_row, at) => mistakeIn(rows, at))
  const wrong = error ?? mistakes.find(Boolean)
  const change = (at: number, changes: Partial<Row>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...changes } : row)))
  return (
    <Choice legend={form.label()}>
      {form.help && <p className="g-weak">{form.help()}</p>}
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place alone
        <div key={`${id}-${at}`} className={`g-pair ${at === 0 ? 'is-first' : ''}`}>
          <Field
            label={left()}
            value={row.name}
            onChange={(name) => change(at, { name })}
            autoComplete="off"
            mistake={mistakes[at]}
          />
          <Field
            label={right()}
            value={row.text}
            onChange={(text) => change(at, { text })}
            autoComplete="off"
          />
          <button
            type="button"
            className="g-icon-button"
            aria-label={
              // translators: %s: the name in a row of a form, or the label of that
              sprintf(__('Remove: %s', 'galley'), row.name || left())
            }
            onClick={() => onChange(rows.filter((_row, index) => index !== at))}
          >
            <Icon icon={closeSmall} />
          </button>
        </div>
      ))}
      {wrong && (
        <p className="g-field-error" role="alert">
          {wrong}
        </p>
      )}
      <Button onClick={() => onChange([...rows, { name: '', text: '' }])}>{form.add()}</Button>
    </Choice>
  )
}

/** Why the name of a row cannot stay: its value would be lost in silence. */
function mistakeIn(rows: readonly Row[], at: number): string | undefined {
  const [name, text] = [rows[at]?.name.trim(), rows[at]?.text.trim()]
  if (name === '') return text === '' ? undefined : __('A value has no name.', 'galley')
  const isTwice = rows.slice(0, at).some((row) => row.name.trim() === name)
  // translators: %s: a name in a row of a form
  return isTwice ? sprintf(__('“%s” is there twice.', 'galley'), name as string) : undefined
}

interface TermFieldsProps {
  /** As people write them: `news, "Press, local"`. */
  terms: { categories: string; tags: string }
  onChange(changes: Partial<TermFieldsProps['terms']>): void
  /** Where they are in the request. */
  path?: string
}

/** The categories and tags of a post. */
export const TermFields = ({ terms, onChange, path }: TermFieldsProps) => (
  <>
    <Field
      label={__('Categories', 'galley')}
      help={__('Separated by commas; one may be a path: News > Local.', 'galley')}
      value={terms.categories}
      onChange={(categories) => onChange({ categories })}
      autoComplete="off"
      path={path && `${path}.categories`}
    />
    <Field
      label={__('Tags', 'galley')}
      help={__('Separated by commas.', 'galley')}
      value={terms.tags}
      onChange={(tags) => onChange({ tags })}
      autoComplete="off"
      path={path && `${path}.tags`}
    />
  </>
)

/** The forms of these fields, in their order. */
export const formsOf = (names: readonly PostFieldName[]): Record<string, FieldForm> =>
  Object.fromEntries(names.map((name) => [name, postFieldForms[name]]))

interface MoreFieldsProps {
  title?: string
  names: readonly PostFieldName[]
  inputs: Inputs
  onChange(inputs: Inputs): void
  /** Where these fields are in the request. */
  path?: string
}

/** WordPress's sidebar, folded: most posts need none of it. What is set is named. */
export function MoreFields({
  title = __('More fields', 'galley'),
  names,
  inputs,
  onChange,
  path,
}: MoreFieldsProps) {
  const forms = formsOf(names)
  const set = namesSet(forms, inputs)
  return (
    <Group
      title={title}
      chosen={set === '' ? __('such as template, custom fields, SEO', 'galley') : set}
      paths={path === undefined ? [] : names.map((name) => `${path}.${name}`)}
      guide="documents.md#the-posts-own-fields"
    >
      <Fields forms={forms} inputs={inputs} onChange={onChange} path={path} />
    </Group>
  )
}

/** Those of these values that are set, in words. */
export const FieldFacts = ({
  forms,
  values,
}: {
  forms: Readonly<Record<string, FieldForm>>
  values: Readonly<Record<string, unknown>>
}) => (
  <>
    {Object.entries(forms).map(([name, form]) => {
      const text = values[name] === undefined ? '' : valueInWords(form, values[name])
      return (
        text !== '' && (
          <Fact key={name} label={form.label()}>
            {text}
          </Fact>
        )
      )
    })}
  </>
)

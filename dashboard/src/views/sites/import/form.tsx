import './import.css'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { useId, useState } from 'react'
import { call } from '../../../api/client.ts'
import { Checkbox, Form } from '../../../components/form.tsx'
import { keepFile } from './kept-files.ts'

const EXAMPLE = `url,username,application_password,name,labels
example.com,editor,abcd efgh ijkl mnop qrst uvwx,Tides weekly,news;weekly`

interface ImportFormProps {
  /** What is in the form at first. */
  lines?: string
  onCancel(): void
}

/** A file of sites, chosen or pasted. */
export function ImportForm({ lines = '', onCancel }: ImportFormProps) {
  const id = useId()
  const navigate = useNavigate()
  const [csv, setCsv] = useState(lines)
  const [dryRun, setDryRun] = useState(false)
  const begin = useMutation({
    mutationFn: () => call('createImport', { body: csv, query: { dry_run: dryRun ? 'true' : 'false' } }),
    onSuccess: (made) => {
      keepFile(made.id, csv)
      return navigate({ to: '/sites/import/$id', params: { id: made.id } as never })
    },
  })
  return (
    <Form
      submit={dryRun ? __('Test the import', 'galley') : __('Connect them', 'galley')}
      mutation={begin}
      incomplete={csv.trim() === ''}
      onCancel={onCancel}
    >
      <div className="g-field">
        <label htmlFor={`${id}-file`}>{__('CSV file', 'galley')}</label>
        <input
          id={`${id}-file`}
          type="file"
          accept=".csv,text/csv,text/plain"
          onChange={({ target }) => void target.files?.[0]?.text().then(setCsv)}
        />
      </div>
      <div className="g-field">
        <label htmlFor={`${id}-text`}>{__('Or paste CSV', 'galley')}</label>
        <textarea
          id={`${id}-text`}
          rows={8}
          dir="ltr"
          spellCheck={false}
          value={csv}
          onChange={({ target }) => setCsv(target.value)}
          aria-describedby={`${id}-help`}
        />
        <div id={`${id}-help`} className="g-weak">
          {__('The first line names the columns; the first three must be there:', 'galley')}
          <pre dir="ltr">{EXAMPLE}</pre>
        </div>
      </div>
      <Checkbox
        label={__('Test only', 'galley')}
        help={__('Galley tries each password on its site. Nothing is stored.', 'galley')}
        checked={dryRun}
        onChange={setDryRun}
      />
    </Form>
  )
}

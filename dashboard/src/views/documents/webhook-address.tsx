import { __ } from '@wordpress/i18n'
import { Field } from '../../components/field.tsx'
import { Group } from './group.tsx'

interface WebhookAddressProps {
  value: string
  onChange(value: string): void
  failure: unknown
}

/** Who is told when it is there. */
export const WebhookAddress = ({ value, onChange, failure }: WebhookAddressProps) => (
  <Group
    title={__('Notify somebody', 'galley')}
    chosen={value}
    paths={['body.webhook_url']}
    failure={failure}
  >
    <Field
      label={__('Address that is sent a POST when it ends', 'galley')}
      help={__('May be left out: this page shows how far it is.', 'galley')}
      value={value}
      onChange={onChange}
      inputMode="url"
      autoComplete="off"
      dir="ltr"
      placeholder="https://example.com/hook"
      failure={failure}
      path="body.webhook_url"
    />
  </Group>
)

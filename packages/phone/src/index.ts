export { describeAccountPhone, describePhone, type PhoneFacts } from './describe-phone.ts';
export {
  PHONE_LINE_TYPES,
  PHONE_SIGNALS,
  type PhoneLineType,
  type PhoneSignal,
  type PhoneSignalCode,
} from './phone-signals.ts';

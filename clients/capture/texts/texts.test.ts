import { describeTranslations } from '../../shared/translations-for-tests.ts';
import { textsOf } from './texts.ts';

describeTranslations('hosted page', textsOf);

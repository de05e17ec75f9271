import { type Argument, type Command, Help, type Option } from 'commander';
import type { Io } from '../io/io.js';

/** commander's help in the style of mkt, which also fits narrow terminals. */
export class HelpLayout extends Help {
  override readonly helpWidth: number;
  override minWidthToWrap = 20;

  constructor({ stdout }: Pick<Io, 'stdout'>) {
    super();
    this.helpWidth = Math.min(stdout.isTTY ? stdout.columns : 80, 100);
  }

  override commandUsage(command: Command): string {
    return super.commandUsage(command).replace('[options]', '[flags]');
  }

  override commandDescription(command: Command): string {
    return super.commandDescription(command).replace(/\.?$/, '.');
  }

  override subcommandTerm(command: Command): string {
    return command.name();
  }

  /** Values in capitals, without the brackets that commander reads. */
  override optionTerm({ short, long, flags }: Option): string {
    const [, value] = /<(.+)>/.exec(flags) ?? [];
    return `${short ? `${short}, ` : '    '}${long}${value === undefined ? '' : ` ${value.toUpperCase()}`}`;
  }

  override argumentTerm(argument: Argument): string {
    const inner = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${inner}>` : `[${inner}]`;
  }

  override styleTitle(title: string): string {
    return title === 'Usage:' ? title : title.replace(/:$/, '').replace('Options', 'Flags');
  }

  override padWidth(command: Command, helper: Help): number {
    return Math.min(28, super.padWidth(command, helper));
  }

  /** A description that does not fit next to its term goes below it. */
  override formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    const room = this.helpWidth - termWidth - 4;
    if (room < 32) return `${this.indented(term.trim(), 2)}\n${this.indented(description, 6)}`;
    if (term.length <= termWidth) return super.formatItem(term, termWidth, description, helper);
    return `  ${term}\n${this.indented(description, termWidth + 4)}`;
  }

  protected indented(text: string, width: number): string {
    return this.boxWrap(text, this.helpWidth - width).replace(/^(?=.)/gm, ' '.repeat(width));
  }
}

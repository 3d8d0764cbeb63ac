import { contract } from "@retry-budget/testkit";
import * as undici6 from "undici-6";
import { driver, driverOf } from "./driver.js";

contract(driver);
contract(driverOf("undici 6", undici6 as never));
